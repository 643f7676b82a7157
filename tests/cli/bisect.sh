#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# git bisect run with examples/bisect/step.sh on the repository of docs/bisect.md. No guest is booted: in place of measuring, `iogap gate`
# judges a stored sweep that fits the commit's settings. With real guests: tests/bench/bisect.sh.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v git >/dev/null || skip_all "git is missing: make DEPS=test deps"
for scenario in pass regressed noisy; do
	"$IOGAP_BUILD/tests/test-gate-load" --make $scenario "$tmp/$scenario.sqlite"
done
. "${IOGAP_SRC:-.}/tests/bench/bisect.inc"
cat >"$tmp/iogap" <<'SH'
#!/bin/sh
echo "$*" >>"$TOY/calls"
case "$*" in
*--arm\ new:*iops_limit=60*) scenario=regressed ;;
*--commit\ $NOISY*) scenario=noisy ;;
*) scenario=pass ;;
esac
"$REAL" plan "$2" "$3" "$4" "$5" "$6" >/dev/null || exit 128
exec "$REAL" gate --store "$TOY/$scenario.sqlite" --no-record --bisect
SH
chmod +x "$tmp/iogap"
export REAL="$iogap" TOY="$tmp" IOGAP="$tmp/iogap" NOISY=none
step=$IOGAP_SRC/examples/bisect/step.sh

run sh "$step" "$tmp/bisect.yaml"
is "a step without a command ends a bisection" "$status: $err" "128: usage: git bisect run sh $step PROFILE GOOD COMMAND..."
bisect
is "git bisect: exit status" "$status" 0
[ "$status" = 0 ] || tap_show output "$out
$err"
is "the first bad commit" "$(found)" "disk: a fair share for all guests"
like "a step's call" "$(sed -n 1p "$tmp/calls")" \
	"^gate $tmp/bisect.yaml --arm base:queue_size=256,iops_limit=100 --arm new:queue_size=[0-9]+,iops_limit=[0-9]+ --commit [0-9a-f]{40} --label bisect --bisect --accept-flag"
git -C "$repo" bisect reset >/dev/null 2>&1

# ---- a commit that cannot be judged is skipped, and git goes on beside it
NOISY=$(git -C "$repo" log --format=%H --grep='rename them back' bad)
bisect
is "with a step that is undecided" "$status: $(found)" "0: disk: a fair share for all guests"
is "which was tried and skipped" "$(git -C "$repo" bisect log | grep -c "^git bisect skip $NOISY")" 1
git -C "$repo" bisect reset >/dev/null 2>&1

: >"$tmp/calls"
git -C "$repo" checkout -q "$(git -C "$repo" log --format=%H --grep='rename the settings' bad)"
run sh -c "cd '$repo' && sh '$step' '$tmp/bisect.yaml' iops_limit=100 ./arm"
is "a commit that cannot be built is skipped" "$status: $err" "125: arm: there is no disk/settings"
is "and is not measured" "$(wc -c <"$tmp/calls")" 0
done_testing
