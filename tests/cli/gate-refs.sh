#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap gate --baseline and --candidate by git's names: the parent, the merge base, and what is said where git cannot tell.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v git >/dev/null || skip_all "git is missing: make DEPS=test deps"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_CEILING_DIRECTORIES="$tmp"
store=$tmp/s.sqlite
"$IOGAP_BUILD/tests/test-gate-load" --make history "$store"
sql() { sqlite3 "$store" "$1"; }

repo=$tmp/repo
git init -q -b main "$repo"
commit() { git -C "$repo" commit -q --allow-empty -m "$1"; }
commit "before"
commit "base"
base=$(git -C "$repo" rev-parse HEAD)
git -C "$repo" checkout -q -b fix
commit "candidate"
head=$(git -C "$repo" rev-parse HEAD)
git -C "$repo" checkout -q main
commit "main goes on"
git -C "$repo" checkout -q fix
sql "update sweep set commit_id = '$base', branch = 'measured' where branch = 'main'"
sql "update sweep set commit_id = '$head', branch = 'measured too' where branch = 'topic'"
gate() { # FOLDER BASELINE
	cd "$1" || exit 1
	run "$iogap" gate --store "$store" --no-record --baseline "$2" --candidate HEAD
	cd "$IOGAP_SRC" || exit 1
}
gate "$repo" merge-base:main
is "the merge base with main" "$status" 1
merged=$out
gate "$repo" HEAD^
is "the parent is the same commit here" "$status: $out" "1: $merged"

# ---- commits that nobody measured
gate "$repo" HEAD^^
is "not measured" "$status: $err" "4: iogap: no sweep of the store $store is of commit $(git -C "$repo" rev-parse HEAD^^) (HEAD^^); measure it with \`iogap sweep --commit $(git -C "$repo" rev-parse HEAD^^)\`"

# ---- where git cannot tell
begin() { echo "4: iogap: no sweep of the store $store is named $1, and git cannot say which commit that is: "; }
mkdir "$tmp/plain"
no_checkout="the working folder is in no git checkout that can be read (git ended with status 128: fatal: not a git repository (or any of the parent directories): .git); run it inside the checkout"
gate "$tmp/plain" merge-base:main
is "merge base outside a checkout" "$status: $err" "$(begin merge-base:main)$no_checkout"
gate "$tmp/plain" HEAD^
is "parent outside a checkout" "$status: $err" "$(begin HEAD^)$no_checkout"
gate "$tmp/plain" main
is "a plain name outside a checkout is the store's matter" "$status: $err" \
	"4: iogap: there is no sweep \"main\" in the store $store; \`iogap list\` shows those that are there"
gate "$tmp/plain" measured
like "and what the store knows needs no git" "$err" 'named HEAD, and git cannot say'
gate "$repo" merge-base:mian
is "no such branch" "$status: $err" "$(begin merge-base:mian)this checkout has no such branch; fetch it, or name it with its remote, such as merge-base:origin/main"
gate "$repo" merge-base:
is "no branch at all" "$status: $err" "$(begin merge-base:)it takes the name of a branch, such as merge-base:main"
gate "$repo" merge-base:--all
is "an option is no branch" "$status: $err" "$(begin merge-base:--all)it takes the name of a branch, such as merge-base:main"
git clone -q --depth 1 --no-single-branch "file://$repo" "$tmp/shallow"
gate "$tmp/shallow" HEAD^
is "the parent in a shallow checkout" "$status: $err" \
	"$(begin HEAD^)this checkout has no such revision; a shallow one lacks the commits before it: fetch them too"
gate "$tmp/shallow" merge-base:origin/main
is "the merge base in a shallow checkout" "$status: $err" \
	"$(begin merge-base:origin/main)HEAD and that branch share no commit here; a shallow checkout lacks it: fetch the whole history"
mkdir "$tmp/bin"
cd "$repo" || exit 1
run env PATH="$tmp/bin" "$iogap" gate --store "$store" --no-record --baseline HEAD^ --candidate fix
cd "$IOGAP_SRC" || exit 1
like "without git" "$err" '^iogap: no sweep .*: the working folder is in no git checkout that can be read \(cannot start git: .*No such file'
done_testing
