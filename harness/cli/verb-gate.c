/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap gate: did the candidate make disk I/O slower? */
#include <stdio.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/gate-judge.h"
#include "harness/cli/gate-keep.h"
#include "harness/cli/gate-measure.h"
#include "harness/cli/gate-options.h"
#include "harness/cli/gate-refs.h"
#include "harness/cli/measure.h"
#include "harness/cli/stored.h"
#include "harness/cli/verbs.h"
#include "harness/export/gate-report.h"

/* What `git bisect run` takes for "cannot be told" and, as everything above it, for "end the bisection" (git-bisect(1)). */
#define BISECT_SKIP 125
#define BISECT_STOP 128

static char *option_store, *option_format, *option_output, *option_from, *option_base_arm, *option_new_arm, *option_inconclusive;
static char **option_baselines, **option_candidates, **option_accept, **option_required;
static gboolean option_bisect, option_ignore_env, option_no_record;

static const GOptionEntry options[] = {
	{"store", 's', 0, G_OPTION_ARG_FILENAME, &option_store,
		"the store (default: $IOGAP_STORE, else results/data/iogap.sqlite)", "FILE"},
	{"base-arm", 0, 0, G_OPTION_ARG_STRING, &option_base_arm, "arm that is the baseline, of a sweep with more than two", "ARM"},
	{"new-arm", 0, 0, G_OPTION_ARG_STRING, &option_new_arm, "arm that is the candidate", "ARM"},
	{"baseline", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_baselines,
		"stored sweeps to compare with: label, branch, commit, id, git revision or merge-base:BRANCH; may be given several times",
		"REF"},
	{"candidate", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_candidates, "stored sweeps to judge, named the same way", "REF"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_format, "text (default), json, markdown, html, junit, github or gitlab", "FORMAT"},
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_output,
		"write all formats into this folder too: gate.txt, gate.json, gate.md, gate.html, gate.xml, gate.github, gate.metrics", "FOLDER"},
	{"from", 0, 0, G_OPTION_ARG_FILENAME, &option_from, "print a gate.json made earlier again instead of judging", "FILE"},
	{"require", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_required,
		"a cell that must be decided even when it is too noisy; may be given several times", "CELL"},
	{"accept-flag", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_accept,
		"let runs with this flag count, such as NOT_STEADY; printed in every output; may be given several times", "FLAG"},
	{"ignore-env", 0, 0, G_OPTION_ARG_NONE, &option_ignore_env,
		"judge stored sweeps of different environments all the same; printed in every output", NULL},
	{"inconclusive", 0, 0, G_OPTION_ARG_STRING, &option_inconclusive,
		"pass or fail: make exit status 3 a 0 or a 1; printed in every output", "WHAT"},
	{"no-record", 0, 0, G_OPTION_ARG_NONE, &option_no_record,
		"do not keep the verdict in the store, where it decides whether the sweep may be a baseline later", NULL},
	{"bisect", 0, 0, G_OPTION_ARG_NONE, &option_bisect,
		"exit status for `git bisect run`: 0 good, 1 bad, 125 cannot be told, 128 stop", NULL},
	MEASURE_ENTRIES,
	{NULL},
};

static const struct {
	const char *format, *file;
} files[] = {
	{"text", "gate.txt"}, {"json", "gate.json"}, {"markdown", "gate.md"}, {"html", "gate.html"},
	{"junit", "gate.xml"}, {"github", "gate.github"}, {"gitlab", "gate.metrics"},
};

static gboolean usage(GError **error, const char *text)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, text);
	return FALSE;
}

/* Measuring and judging what is stored exclude each other. */
static gboolean check_measure(char **arguments, GError **error)
{
	const char *given = measure_options.arms ? NULL : measure_option_given();

	if (given) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--%s is for measuring: give a PROFILE and two --arm as well", given);
		return FALSE;
	}
	if (!measure_options.arms)
		return TRUE;
	if (!arguments[0])
		return usage(error, "--arm measures a profile: name one, such as `iogap gate gate --arm base: --arm new:KEY=VALUE`");
	if (option_base_arm || option_new_arm)
		return usage(error, "with --arm the first one is the baseline and the second one the candidate; --base-arm and --new-arm "
			"are for sweeps that are stored");
	if (option_baselines || option_candidates || option_from)
		return usage(error, "--arm measures; --baseline, --candidate and --from judge what is stored");
	return TRUE;
}

/* What was decided is decided: only how and where it is printed can still be chosen. */
static gboolean check_from(char **arguments, GError **error)
{
	const struct {
		const char *name;
		gboolean given;
	} others[] = {
		{"base-arm", option_base_arm != NULL}, {"new-arm", option_new_arm != NULL}, {"require", option_required != NULL},
		{"accept-flag", option_accept != NULL}, {"ignore-env", option_ignore_env}, {"inconclusive", option_inconclusive != NULL},
		{"store", option_store != NULL},
	};

	if (option_baselines || option_candidates || arguments[0])
		return usage(error, "--from prints an earlier verdict again; it takes no sweep beside it");
	if (option_no_record)
		return usage(error, "--from prints an earlier verdict again; nothing is recorded and --no-record has no meaning");
	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		if (others[i].given) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
				"--from prints an earlier verdict again; --%s would change nothing in it, give it where the sweep is judged",
				others[i].name);
			return FALSE;
		}
	return TRUE;
}

static gboolean check_options(char **arguments, GError **error)
{
	gboolean stored = option_baselines || option_candidates;

	if (option_format && !gate_report_format(option_format, error))
		return FALSE;
	if (!check_measure(arguments, error))
		return FALSE;
	if (option_inconclusive && !g_str_equal(option_inconclusive, "pass") && !g_str_equal(option_inconclusive, "fail"))
		return usage(error, "--inconclusive takes pass or fail");
	if (stored && (!option_baselines || !option_candidates))
		return usage(error, "--baseline and --candidate go together");
	if (stored && (arguments[0] || option_base_arm || option_new_arm))
		return usage(error, "--baseline and --candidate compare stored sweeps; a sweep with arms is given as SWEEP alone");
	if (!gate_flags_known((const char *const *)option_accept, error) || (option_from && !check_from(arguments, error)))
		return FALSE;
	if (option_ignore_env && !stored)
		return usage(error, "--ignore-env needs --baseline and --candidate; the arms of one sweep share its environment");
	return TRUE;
}

/* Adds what REFS name; WORDS says each for gate_question: one sweep by its uuid, since "latest" is another one tomorrow. */
static gboolean add_all(Store *store, char **refs, GArray *sweeps, GPtrArray *words, GError **error)
{
	for (guint i = 0; refs[i]; i++) {
		guint before = sweeps->len;
		g_autoptr(Record) sweep = NULL;

		if (!gate_refs_add(store, refs[i], sweeps, error))
			return FALSE;
		if (sweeps->len == before + 1)
			sweep = store_sweep(store, g_array_index(sweeps, gint64, before), NULL);
		g_ptr_array_add(words, g_strdup(sweep ? record_get_text(sweep, "uuid") : refs[i]));
	}
	g_ptr_array_add(words, NULL);
	return TRUE;
}

static gboolean write_files(const json_t *report, GError **error)
{
	if (g_mkdir_with_parents(option_output, 0755) != 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the folder %s: %s", option_output, g_strerror(errno));
		return FALSE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(option_output, files[i].file, NULL);
		g_autoptr(GString) text = g_string_new(NULL);
		g_autoptr(GError) local = NULL;

		if (!gate_report_render(report, files[i].format, text, error))
			return FALSE;
		if (!g_file_set_contents(path, text->str, (gssize)text->len, &local)) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write the report: %s", local->message);
			return FALSE;
		}
	}
	return TRUE;
}

static gboolean print(const json_t *report, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	return gate_report_render(report, option_format ? option_format : "text", text, error) && stored_print(text->str, error) &&
		(!option_output || write_files(report, error));
}

/* What the user made of 3, and what `git bisect run` wants. */
static int final_code(int code)
{
	if (code == EXIT_INCONCLUSIVE && option_inconclusive) {
		code = g_str_equal(option_inconclusive, "pass") ? EXIT_OK : EXIT_REGRESSION;
		fprintf(stderr, "iogap: inconclusive counts as %s (--inconclusive)\n", code == EXIT_OK ? "passed" : "failed");
	}
	/* An interruption ends a bisection too: git takes 128 and more for that. */
	if (!option_bisect || code >= BISECT_STOP)
		return code;
	return code == EXIT_OK || code == EXIT_REGRESSION ? code : code == EXIT_USAGE ? BISECT_STOP : BISECT_SKIP;
}

/* The verdict stays with the sweeps that it is about. A store that cannot be written to costs a remark, not the verdict. */
static void record(const json_t *report, const GateCase *gate, const char *question)
{
	g_autofree char *file = option_store ? g_canonicalize_filename(option_store, NULL) : paths_store();
	g_autoptr(GError) error = NULL;
	g_autoptr(Store) store = store_open(file, STORE_WRITE, &error);
	g_autoptr(GArray) one = g_array_new(FALSE, FALSE, sizeof(gint64));

	g_array_append_val(one, gate->sweep);
	if (!store || !gate_keep(store, gate->candidates ? gate->candidates : one, report, question, &error))
		fprintf(stderr, "iogap: the verdict is not kept in the store: %s\n", error->message);
}

static json_t *make(const char *ref, const GateChoice *choice, GError **error)
{
	g_autoptr(GArray) baselines = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(gint64));
	GateCase gate = {.base_arm = option_base_arm, .new_arm = option_new_arm, .choice = *choice,
		.inconclusive = option_inconclusive};
	g_autoptr(GPtrArray) base_words = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) new_words = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *question = NULL;
	g_autoptr(Store) store = NULL;
	json_t *report;

	if (option_from) {
		report = gate_report_load(option_from, error);
		/* The exit status is that of then as well. */
		option_inconclusive = g_strdup(json_string_value(json_object_get(report, "inconclusive")));
		return report;
	}
	store = stored_open(option_store, error);
	if (!store)
		return NULL;
	gate.store = store;
	if (option_baselines) {
		if (!add_all(store, option_baselines, baselines, base_words, error) ||
			!add_all(store, option_candidates, candidates, new_words, error))
			return NULL;
		gate.baselines = baselines;
		gate.candidates = candidates;
	} else {
		gate.sweep = store_find_sweep(store, ref ? ref : "latest", error);
		if (gate.sweep < 0)
			return NULL;
	}
	report = gate_case_report(&gate, error);
	g_clear_pointer(&store, store_close);
	if (!report || option_no_record)
		return report;
	question = gate_question(choice, report, (const char *const *)base_words->pdata, (const char *const *)new_words->pdata);
	record(report, &gate, question);
	return report;
}

static int judge_and_print(const char *ref, const GateChoice *choice)
{
	g_autoptr(GError) error = NULL;
	json_t *report = make(ref, choice, &error);
	int code;

	if (!report || !print(report, &error)) {
		json_decref(report);
		return verb_fail(error);
	}
	code = (int)json_integer_value(json_object_get(report, "exit"));
	json_decref(report);
	return code;
}

static int measure_and_judge(const char *profile, const GateChoice *choice)
{
	g_autofree char *store = option_store ? g_canonicalize_filename(option_store, NULL) : paths_store();
	g_autofree char *ref = NULL;
	gboolean busy;
	gint64 sweep;
	int code = gate_measure(profile, store, choice, &sweep, &busy);

	/* Of a machine that is taken no commit is to blame, and the next one would be skipped for it as well. */
	if (busy && option_bisect)
		return BISECT_STOP;
	if (code >= 0)
		return code;
	ref = g_strdup_printf("%" G_GINT64_FORMAT, sweep);
	return judge_and_print(ref, choice);
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;
	int code = verb_parse(verb, argc, argv, &arguments);
	const GateChoice choice = {
		.accept = (const char *const *)option_accept,
		.required = (const char *const *)option_required,
		.ignore_environment = option_ignore_env,
	};

	if (code >= 0)
		return option_bisect && code ? BISECT_STOP : code;
	if (!check_options(arguments, &error))
		return final_code(verb_fail(error));
	return final_code(measure_options.arms ? measure_and_judge(arguments[0], &choice) : judge_and_print(arguments[0], &choice));
}

const Verb verb_gate = {
	.name = "gate",
	.arguments = "[SWEEP | PROFILE --arm BASELINE --arm CANDIDATE]",
	.summary = "judge whether a change made disk I/O slower, with a stated error rate",
	.description =
		"With --arm it measures PROFILE itself, in one sweep of the store: both arms next to each other in every block, five "
		"blocks of everything as a screen, then twelve fresh ones of what looked suspicious (the profile's gate.screen_blocks and "
		"gate.confirm_blocks), and then judges. The arm given first is the baseline. `iogap plan PROFILE --arm ...` says how long it takes. "
		"Ctrl-C keeps what is finished, and the same command with --resume goes on.\n\n"
		"Without --arm it judges the two arms of a stored sweep (`iogap sweep --arm base:... --arm new:...`, or an earlier gate's): the "
		"first blocks screen all cells, the others confirm what looked suspicious, by an exact test with one false-alarm rate for the "
		"whole matrix. With --baseline and --candidate it compares stored sweeps of the same environment instead; "
		"at least five baseline sweeps are needed before anything but INCONCLUSIVE is said.\n\n"
		"Exit status: 0 passed, 1 a regression, 2 usage, 3 inconclusive (too noisy, flagged, missing, or the host itself "
		"moved), 4 not comparable, 5 the measurement failed.",
	.options = options,
	.min_arguments = 0,
	.max_arguments = 1,
	.run = run,
};
