#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of docs/ci.md: valid YAML, and their shell steps run as they stand there in a toy repository. No guest is booted: where a
# step measures, a stored sweep is imported instead (after `iogap plan` took its profile and arms); gh and curl note their arguments.
. "${IOGAP_SRC:-.}/tests/tap.sh"
for tool in git xz python3 sqlite3; do
	command -v $tool >/dev/null || skip_all "$tool is missing: make DEPS=test deps"
done
python3 -c 'import yaml' 2>/dev/null || skip_all "python3-yaml is missing: make DEPS=test deps"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# ---- what is imported in place of measuring
for scenario in pass regressed; do
	"$IOGAP_BUILD/tests/test-gate-load" --make $scenario "$tmp/$scenario.sqlite"
	# A store of its own has a uuid of its own in practice; here two scenarios must not be one sweep.
	sqlite3 "$tmp/$scenario.sqlite" "update sweep set uuid = '$(cat /proc/sys/kernel/random/uuid)'"
	"$iogap" export --store "$tmp/$scenario.sqlite" latest -o "$tmp/$scenario.jsonl"
done

# ---- every shell step of the document becomes a file: github-1-arms, gitlab-1-script, jenkins-1, ...
python3 - "$IOGAP_SRC/docs/ci.md" "$tmp" >"$tmp/read" <<'PY'
import re, sys, yaml
text, out = open(sys.argv[1]).read(), sys.argv[2]
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
github, gitlab = (yaml.safe_load(body) for kind, body in blocks if kind == "yaml")
jenkins, = (body for kind, body in blocks if kind == "groovy")
def write(name, shell):
    open(f"{out}/{name}", "w").write(shell + "\n")
for step in github["jobs"]["gate"]["steps"]:
    if "run" in step:
        write("github-" + step["name"].replace(" ", "-"), step["run"])
write("gitlab-script", "\n".join(gitlab["gate"]["script"]))
write("gitlab-after", "\n".join(gitlab["gate"]["after_script"]))
# In a Groovy string of three quotes a backslash is written twice.
for i, shell in enumerate(re.findall(r"'''\n(.*?)'''", jenkins, re.S), 1):
    write(f"jenkins-{i}", shell.replace("\\\\", "\\"))
print(github["jobs"]["gate"]["steps"][0]["with"]["fetch-depth"], gitlab["gate"]["variables"]["GIT_DEPTH"],
      gitlab["gate"]["allow_failure"]["exit_codes"])
PY
is "whole history, and 3 is told apart" "$(cat "$tmp/read")" "0 0 [3]"
is "all steps are there" "$(cd "$tmp" && echo git*-* jenkins-*)" \
	"github-arms github-comment github-earlier-sweeps github-gate github-keep gitlab-after gitlab-script jenkins-1 jenkins-2 jenkins-3"

# ---- the toy project: "building" an emulator writes a program that starts the installed one
git init -q --bare -b main "$tmp/origin"
git clone -q "$tmp/origin" "$tmp/work" 2>/dev/null
cd "$tmp/work" || exit 1
git checkout -q -b main
cat >build-arm <<'SH'
#!/bin/sh
set -e
mkdir -p "$2"
printf '#!/bin/sh\n# %s\nexec qemu-system-x86_64 "$@"\n' "$(git show "$1:version")" >"$2/qemu-system-x86_64"
chmod +x "$2/qemu-system-x86_64"
SH
chmod +x build-arm
printf '/arms\n/store\n/gate\n/gate.sqlite*\n/store.jsonl*\n' >.gitignore
echo 1 >version
git add -A
git commit -q -m one
git push -q origin main 2>/dev/null
git checkout -q -b topic
echo 2 >version
git commit -q -a -m two
commit=$(git rev-parse HEAD)
git push -q origin topic 2>/dev/null
git checkout -q main
echo 3 >version
git commit -q -a -m three
git push -q origin main 2>/dev/null
git checkout -q topic

# ---- the programs of the steps
mkdir "$tmp/bin"
cat >"$tmp/bin/iogap" <<'SH'
#!/bin/sh
# What measures is planned, and then a stored sweep with the commit and the label of the call takes its place.
case "$*" in
"gate gate "*) ;;
*) exec "$REAL" "$@" ;;
esac
shift 2
label= commit= branch= store= rest=
n=$#
while [ "$n" -gt 0 ]; do
	case $1 in
	--arm) arms="$arms --arm $2" ;;
	--label) label=$2 ;;
	--commit) commit=$2 ;;
	--branch) branch=$2 ;;
	--store) store=$2 ;;
	*) rest="$rest $1 $2" ;;
	esac
	shift 2
	n=$((n - 2))
done
"$REAL" plan gate $arms >"$TOY/planned" || exit
"$REAL" import --store "$store" "$TOY/$SCENARIO.jsonl" >/dev/null 2>&1
sqlite3 "$store" "update sweep set label = '$label', commit_id = '$commit', branch = nullif('$branch', '')
	where id = (select max(id) from sweep)"
exec "$REAL" gate "$(sqlite3 "$store" 'select max(id) from sweep')" --store "$store" $rest
SH
cat >"$tmp/bin/gh" <<'SH'
#!/bin/sh
printf '%s\n' "$@" >"$TOY/told"
SH
cp "$tmp/bin/gh" "$tmp/bin/curl"
chmod +x "$tmp"/bin/*
export PATH="$tmp/bin:$PATH" REAL="$iogap" TOY="$tmp" HOME="$tmp"
step() { run "${shell:-bash}" -e "$tmp/$1"; }
fresh() { # what is left by an earlier build, as the services clean it
	rm -rf arms store gate gate.sqlite*
}

# ---- GitHub: the first request, and a second one that finds the first one's sweep
export GITHUB_HEAD_REF=topic REQUEST=17 GITHUB_RUN_ID=90 GITHUB_RUN_ATTEMPT=1
for SCENARIO in pass regressed; do
	export SCENARIO
	fresh
	[ $SCENARIO = pass ] && expected=0 || expected=1
	step github-arms
	is "GitHub, $SCENARIO: arms" "$status: $(sed -n 2p arms/base/qemu-system-x86_64 arms/new/qemu-system-x86_64 | xargs)" "0: # 1"
	is "GitHub, $SCENARIO: the new arm" "$(sed -n 2p arms/new/qemu-system-x86_64)" "# 2"
	step github-earlier-sweeps
	is "GitHub, $SCENARIO: earlier sweeps" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
	step github-gate
	is "GitHub, $SCENARIO: gate, in place of measuring a stored sweep" "$status" $expected
	like "GitHub, $SCENARIO: its arms can be planned" "$(cat "$tmp/planned")" '[0-9]+ legs'
	step github-keep
	is "GitHub, $SCENARIO: keep" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
	step github-comment
	is "GitHub, $SCENARIO: the comment's text is there" "$(paste -sd' ' "$tmp/told") $(grep -c . gate/gate.md | sed 's/^[1-9][0-9]*$/lines/')" \
		"pr comment 17 --edit-last --create-if-none --body-file gate/gate.md lines"
	git commit -q --allow-empty -m next
done
kept_files() { git -C "$tmp/origin" ls-tree --name-only iogap-store | sort | paste -sd' '; }
is "GitHub: one file for each sweep is on the branch" "$(kept_files)" \
	"$(git rev-parse HEAD^ HEAD^^ | sort | sed 's/$/-90-1.jsonl.xz/' | paste -sd' ')"
is "GitHub: and in the store of the second" "$(sqlite3 gate.sqlite "select count(*), count(distinct commit_id) from sweep")" "2|2"

# The last job once more, with another outcome: the sweep of the first time stays.
git reset -q --hard HEAD^
first=$(git -C "$tmp/origin" rev-parse "iogap-store:$(git rev-parse HEAD)-90-1.jsonl.xz")
sqlite3 "$tmp/pass.sqlite" "update sweep set uuid = '$(cat /proc/sys/kernel/random/uuid)'"
"$iogap" export --store "$tmp/pass.sqlite" latest -o "$tmp/pass.jsonl"
export SCENARIO=pass GITHUB_RUN_ATTEMPT=2
fresh
for name in arms earlier-sweeps gate keep; do
	step github-$name
	is "GitHub, run again: $name" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
done
is "GitHub: both attempts are kept" "$(kept_files | grep -o "$(git rev-parse HEAD)-90-[12]" | cut -c 42- | paste -sd' ')" "90-1 90-2"
is "GitHub: the first as it was" "$(git -C "$tmp/origin" rev-parse "iogap-store:$(git rev-parse HEAD)-90-1.jsonl.xz")" "$first"

# ---- GitLab
export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_COMMIT_SHA=$commit CI_COMMIT_REF_NAME=topic NOTES_TOKEN=secret
export CI_API_V4_URL=https://gitlab.example.org/api/v4 CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=5
for SCENARIO in pass regressed; do
	fresh
	[ $SCENARIO = pass ] && expected=0 || expected=1
	step gitlab-script
	is "GitLab, $SCENARIO: script, in place of measuring a stored sweep" "$status" $expected
	[ "$status" = $expected ] || tap_show stderr "$err"
	is "GitLab, $SCENARIO: both arms" "$(cat arms/*/qemu-system-x86_64 | grep '^# ' | paste -sd' ')" "# 1 # 2"
	step gitlab-after
	is "GitLab, $SCENARIO: afterwards" "$status" 0
	like "GitLab, $SCENARIO: the comment" "$(paste -sd' ' "$tmp/told")" \
		'^--fail .*body@gate/gate.md https://gitlab.example.org/api/v4/projects/3/merge_requests/5/notes$'
done
is "GitLab: the cache has both sweeps" "$(xz -dc store.jsonl.xz | grep -c '^{"sweep"')" 2
for file in gate.xml gate.metrics; do
	ok "GitLab: there is $file" test -s gate/$file
done

# ---- Jenkins
export BUILD_TAG=jenkins-gate-9
shell=sh
SCENARIO=regressed
fresh
step jenkins-1
is "Jenkins: arms" "$status" 0
step jenkins-2
is "Jenkins: gate, in place of measuring a stored sweep" "$status" 1
[ "$status" = 1 ] || tap_show stderr "$err"
step jenkins-3
is "Jenkins: keep" "$status: $(grep -c '^{"sweep"' gate/sweep.jsonl)" "0: 1"
cd "$IOGAP_SRC" || exit 1
done_testing
