# SPDX-License-Identifier: GPL-2.0-or-later
# iogap: `make run` runs the main job, `make test` the tests; both install what is missing.
# `make help` lists everything else.

BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
SANITIZE ?=
CFLAGS   ?= -O2 -g

# `make V=1` shows the commands themselves.
ifeq ($(V),)
say = @echo "  $(1)	$@";
endif

VERSION := 0.1.0
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	   -Wno-missing-field-initializers -Wno-unused-parameter $(if $(WERROR),-Werror)
COMMON  := -std=gnu11 -D_GNU_SOURCE -I. -DIOGAP_VERSION='"$(VERSION)"' $(WARN) -MMD -MP \
	   -include guest-agent/common/banned.h \
	   $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)

PKGS := glib-2.0 gio-2.0 gio-unix-2.0 jansson yaml-0.1 libvirt libvirt-qemu libvirt-glib-1.0 libxml-2.0 \
	libarchive libkmod blkid mount sqlite3 gsl
# Evaluated when the first file is compiled, after `make deps` had its chance to install them.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)))$(PKG_LIBS)

# Each room is a folder; every .c file in it belongs to it. Programs have their main() in *-main.c.
HARNESS_SRC := $(filter-out %-main.c harness/image/%,$(wildcard harness/*/*.c harness/*/*/*.c results/*.c))
IMAGE_SRC   := $(wildcard harness/image/*.c)
SHARED_SRC  := $(wildcard guest-agent/common/*.c)
AGENT_SRC   := $(filter-out %-main.c,$(wildcard guest-agent/*.c guest-agent/engine/*.c))
obj          = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
agentobj     = $(patsubst %.c,$(BUILD)/agent/%.o,$(1))

UNIT_SRC    := $(filter-out tests/unit/test-agent-%,$(wildcard tests/unit/test-*.c))
AGENT_UNIT  := $(wildcard tests/unit/test-agent-*.c)
UNIT_BIN    := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRC) $(AGENT_UNIT))

MAN := $(addprefix $(BUILD)/man/,iogap.1 iogap-agent.1 iogap-profile.5 iogap.bash)

.PHONY: all
all: $(BUILD)/iogap $(BUILD)/iogap-image $(BUILD)/iogap-agent $(BUILD)/share $(MAN) ## build everything (V=1 shows the commands)

# ---- programs -----------------------------------------------------------------------------
# BUILD/share mirrors PREFIX/share/iogap, so that a built tree and an installed one look alike.
DATA_DIRS := profiles reports examples results/schema
$(BUILD)/share: Makefile $(wildcard profiles/* profiles/*/* reports/* reports/*/* results/schema/* examples/*/* docs/packages.list)
	@mkdir -p $@
	@for dir in profiles reports examples; do rm -rf $@/$$dir; cp -r $$dir $@/; done
	@mkdir -p $@/schema
	@rm -f $@/schema/*.sql
	@cp results/schema/*.sql $@/schema/
	@cp docs/packages.list $@/
	@touch $@

$(BUILD)/iogap: $(call obj,harness/cli/iogap-main.c) $(BUILD)/libiogap.a
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

# Apart, for libguestfs starts libvirt before main.
$(BUILD)/iogap-image: $(call obj,$(IMAGE_SRC)) $(BUILD)/libiogap.a
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs libguestfs) $(PKG_LIBS) -lm

$(BUILD)/libiogap.a: $(call obj,$(HARNESS_SRC) $(SHARED_SRC))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# The agent is static: the same file runs on the host, in the appliance and in any distribution.
AGENT_STATIC = $(if $(SANITIZE),,-static)
$(BUILD)/iogap-agent: $(call agentobj,guest-agent/agent-main.c) $(BUILD)/libagent.a
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(AGENT_STATIC) $(LDFLAGS) -o $@ $^ -ljansson -luring -laio -lpthread -lm

$(BUILD)/libagent.a: $(call agentobj,$(AGENT_SRC) $(SHARED_SRC))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# Manual pages and the completion come from the program's own tables.
$(BUILD)/man/%: $(BUILD)/iogap $(BUILD)/iogap-agent
	@mkdir -p $(@D)
	$(call say,MAN)$(BUILD)/iogap manual $* > $@.new && mv $@.new $@

$(BUILD)/obj/%.o: %.c | $(BUILD)/.deps-ok
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(PKG_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/agent/%.o: %.c | $(BUILD)/.deps-ok
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) -c -o $@ $<

# ---- what is missing is installed (docs/packages.list) --------------------------------------
.PHONY: deps
deps: ## install the packages that DEPS need (build run test bench fuzz; default build)
	@mkdir -p $(BUILD)
	@sh docs/install-packages.sh docs/packages.list $(DEPS)
	@touch $(BUILD)/.deps-ok
$(BUILD)/.deps-ok: docs/packages.list docs/install-packages.sh
	@mkdir -p $(BUILD)
	@sh docs/install-packages.sh docs/packages.list build
	@touch $@

# ---- tests ---------------------------------------------------------------------------------
$(BUILD)/tests/test-agent-%: $(BUILD)/agent/tests/unit/test-agent-%.o $(BUILD)/libagent.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs glib-2.0) -ljansson -luring -laio -lpthread -lm

$(BUILD)/agent/tests/unit/%.o: tests/unit/%.c | $(BUILD)/.deps-ok
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $$(pkg-config --cflags glib-2.0) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/test-%: $(BUILD)/obj/tests/unit/test-%.o $(BUILD)/libiogap.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

# Over a libguestfs of its own.
$(BUILD)/tests/test-gather: $(BUILD)/obj/harness/image/gather.o

# Drive the guest side alone, for tests/guest.
GUEST_BIN := $(patsubst tests/guest/%.c,$(BUILD)/tests/%,$(wildcard tests/guest/*.c))
# The real agent with an odd habit or two.
ODD_AGENT := $(BUILD)/tests/odd-agent
$(ODD_AGENT): $(call agentobj,guest-agent/agent-main.c tests/guest/odd-agent.c) $(BUILD)/libagent.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(AGENT_STATIC) $(LDFLAGS) -Wl,--wrap=answer_result,--wrap=answer_phase -o $@ $^ -ljansson -luring -laio -lpthread -lm

$(filter-out $(ODD_AGENT),$(GUEST_BIN)): $(BUILD)/tests/%: $(BUILD)/obj/tests/guest/%.o $(BUILD)/libiogap.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

TEST_ENV := IOGAP_BUILD=$(abspath $(BUILD)) IOGAP_SRC=$(CURDIR) MALLOC_PERTURB_=165 G_SLICE=always-malloc LC_ALL=C.UTF-8
PROVE    := $(TEST_ENV) prove --timer --merge --failures --comments --exec tests/one
TEST_JOBS ?= $(shell nproc)
UNIT      = $(UNIT_BIN)
# Here, since the rules below read it when they are parsed.
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz-*.c))
RULES     = $(wildcard tests/rules/*.sh)
CLI       = $(wildcard tests/cli/*.sh)
GUEST     = $(wildcard tests/guest/*.sh)
LONG      = $(wildcard tests/long/*.sh)

.PHONY: test check check-unit check-rules check-cli check-guest test-asan
test: ## install what is missing, build, run all tests (real guests too)
	@$(MAKE) --no-print-directory DEPS="build run test" deps
	@$(MAKE) --no-print-directory check
# What measures wants the machine for itself, one test after the other; what boots no guest, or only looks at one and not at its figures,
# shares it. All are run, whatever the first ones say.
SHARING := $(filter $(addprefix tests/guest/,axes.sh disks.sh image.sh inside.sh leftovers.sh silent.sh uri.sh),$(GUEST))
check: all $(UNIT_BIN) $(GUEST_BIN) $(FUZZ_BIN)
	@status=0; set -x; $(PROVE) -j$(TEST_JOBS) $(RULES) $(UNIT) $(CLI) || status=1; \
	IOGAP_ALLOW_PARALLEL=1 $(PROVE) -j$(TEST_JOBS) $(SHARING) || status=1; $(PROVE) $(filter-out $(SHARING),$(GUEST)) || status=1; exit $$status
check-unit: all $(UNIT_BIN) ## unit tests only
	$(PROVE) -j$(TEST_JOBS) $(UNIT)
check-rules: ## house rules and include law only
	$(PROVE) -j$(TEST_JOBS) $(RULES)
check-cli: all $(UNIT_BIN) $(FUZZ_BIN) ## command-line tests only
	$(PROVE) -j$(TEST_JOBS) $(CLI)
check-guest: all $(GUEST_BIN) ## tests that boot real guests only
	$(PROVE) $(GUEST)

.PHONY: test-long check-long
test-long: ## what takes too long for every day: distributions of other init systems (LONG=FILE...)
	@$(MAKE) --no-print-directory DEPS="build run test" deps
	@$(MAKE) --no-print-directory check-long
check-long: all
	$(PROVE) $(LONG)

test-asan: ## unit tests under the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined CFLAGS="-O1 -g" check-sanitized
.PHONY: check-sanitized
check-sanitized: $(BUILD)/iogap $(BUILD)/iogap-image $(BUILD)/iogap-agent $(BUILD)/share $(UNIT_BIN)
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 $(PROVE) $(UNIT)

# ---- fuzzing ---------------------------------------------------------------------------------
# `make test` replays the corpus with the ordinary compiler (tests/cli/fuzz-smoke.sh); `make fuzz` builds the same targets with
# clang and its libFuzzer (of libclang-rt-14-dev).
FUZZ_SECONDS ?= 20
FUZZ_MAIN     = $(if $(FUZZER),,$(call obj,tests/fuzz/replay.c))
FUZZ_FLAGS    = $(if $(FUZZER),-fsanitize=fuzzer)
$(BUILD)/fuzz/fuzz-agent: $(BUILD)/agent/tests/fuzz/fuzz-agent.o $(BUILD)/libagent.a $(FUZZ_MAIN)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(FUZZ_FLAGS) $(LDFLAGS) -o $@ $(filter %replay.o,$^) $(filter-out %replay.o,$^) -ljansson -luring -laio -lpthread -lm
$(BUILD)/fuzz/fuzz-%: $(BUILD)/obj/tests/fuzz/fuzz-%.o $(BUILD)/libiogap.a $(FUZZ_MAIN)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(FUZZ_FLAGS) $(LDFLAGS) -o $@ $(filter %replay.o,$^) $(filter-out %replay.o,$^) $(PKG_LIBS) -lm

.PRECIOUS: $(BUILD)/obj/tests/fuzz/%.o $(BUILD)/agent/tests/fuzz/%.o
.PHONY: fuzz fuzz-run
fuzz: ## fuzz every parser under sanitizers, FUZZ_SECONDS each (20); fails on findings
	@$(MAKE) --no-print-directory DEPS="build run test fuzz" deps
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzzing CC=clang FUZZER=1 SANITIZE=address,undefined \
		CFLAGS="-O1 -g -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined" fuzz-run
fuzz-run: $(BUILD)/share $(FUZZ_BIN)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) IOGAP_SRC=$(CURDIR) sh tests/fuzz/run.sh $(abspath $(BUILD))/fuzz $(FUZZ_TARGETS)

# ---- benchmarks ----------------------------------------------------------------------------
BENCH_BIN := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/libagent.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^
# These measure the harness, not the agent.
$(BUILD)/bench/store-bench $(BUILD)/bench/gate-sim $(BUILD)/bench/history-sim: $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libiogap.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(COMMON) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

.PHONY: bench
bench: ## measure the tools themselves: the agent against fio and a bare loop (BENCH_ROUNDS, BENCH_SECONDS)
	@$(MAKE) --no-print-directory DEPS="build run test bench" deps
	@$(MAKE) --no-print-directory all $(BENCH_BIN)
	@set -e; for bench in tests/bench/*.sh; do IOGAP_BUILD=$(abspath $(BUILD)) $$bench; done

# ---- the main job --------------------------------------------------------------------------
.PHONY: run
run: ## install what is missing, build, run the quick profile, print its table
	@$(MAKE) --no-print-directory DEPS="build run" deps
	@$(MAKE) --no-print-directory all
	$(BUILD)/iogap sweep quick

# ---- installation --------------------------------------------------------------------------
.PHONY: install
install: all ## install into DESTDIR and PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/iogap
	install -m 755 $(BUILD)/iogap $(BUILD)/iogap-image $(BUILD)/iogap-agent $(DESTDIR)$(PREFIX)/bin/
	cp -r $(BUILD)/share/. $(DESTDIR)$(PREFIX)/share/iogap/
	chmod -R go-w $(DESTDIR)$(PREFIX)/share/iogap
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 man/man5 bash-completion/completions)
	install -m 644 $(BUILD)/man/iogap.1 $(BUILD)/man/iogap-agent.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(BUILD)/man/iogap-profile.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	install -m 644 $(BUILD)/man/iogap.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/iogap

.PHONY: docs
docs: ## bring the README's table of packages up to date
	@sh docs/packages-table.sh README.md docs/packages.list >README.md.new && mv README.md.new README.md

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
