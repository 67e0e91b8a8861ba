#!/usr/bin/env bash
# Lists what a file or folder of a git repository changes for those who use the API.
#
#   compare.sh BASE PATH OUT
#
# Compares PATH of the working tree with PATH of the commit at which the branch left BASE, a branch or a commit. Prints the
# list, and writes OUT/changes.json, .md, .github (workflow commands) and .gitlab (a Code Quality report). Where nothing
# can be compared, OUT/changes.note says why. It needs bash, git and `dashboard`.
set -euo pipefail
export LC_ALL=C

base=$1 path=$2 out=$3
mkdir -p "$out"
rm -f "$out"/changes.*
old=.dashboard-base
trap 'rm -rf "$old" "$out/index"' EXIT

note() {
  printf '%s\n' "$*" | tee "$out/changes.note" >&2
  exit 0
}

# Where the branch left BASE: nothing else that has happened there is told as a change.
fork_point() {
  local ref
  for ref in "refs/remotes/origin/$base" "$base"; do
    if git rev-parse --verify --quiet --end-of-options "$ref^{commit}" >/dev/null; then
      git merge-base HEAD "$(git rev-parse --verify --end-of-options "$ref^{commit}")" && return
    fi
  done
  return 1
}

[[ $path != /* && /$path/ != */../* ]] || note "Not compared: $path is not in the repository."
if ! commit=$(fork_point); then
  depth=()
  [ "$(git rev-parse --is-shallow-repository)" = false ] || depth=(--unshallow)
  refspec="+refs/heads/$base:refs/remotes/origin/$base"
  [[ ! $base =~ ^[0-9a-f]{40,64}$ ]] || refspec=$base
  git fetch --quiet --no-tags ${depth[@]+"${depth[@]}"} origin "$refspec" >&2 || true
  commit=$(fork_point) ||
    note 'Not compared: the history that leads to the base is missing. Check out with fetch-depth: 0.'
fi

# Into an index and a folder of its own: no hook runs, and the working tree stays as it is.
GIT_INDEX_FILE=$out/index git read-tree "$commit"
rm -rf "$old"
GIT_INDEX_FILE=$out/index git checkout-index --all --prefix="$old/"
[ -e "$old/$path" ] || note 'Nothing to compare with: the base does not have it yet.'

if ! dashboard diff --report "json=$out/changes.json" --report "markdown=$out/changes.md" \
  --report "github=$out/changes.github" --report "gitlab=$out/changes.gitlab" "$old/$path" "$path" \
  >"$out/changes.text" 2>"$out/stderr"; then
  text=$(head -c 2000 "$out/stderr")
  text=${text//"$old/"/"the base's "}
  printf 'Not compared: %s\n' "$text" | tee "$out/changes.note" >&2
  exit 1
fi
rm "$out/stderr"
# Places are told as in the repository.
for file in "$out"/changes.*; do
  text=$(cat "$file")
  printf '%s\n' "${text//"$old/"/}" >"$file"
done
cat "$out/changes.text"
