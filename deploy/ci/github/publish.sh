#!/usr/bin/env bash
# Compares, deploys, and writes what is to be told into a folder that the steps after it read.
set -euo pipefail
export LC_ALL=C

tools=$(cd "$GITHUB_ACTION_PATH/.." && pwd)
root=$(cd "$tools/../.." && pwd)
told=$RUNNER_TEMP/dashboard-ci
rm -rf "$told"
mkdir -p "$told"

fail() {
  echo "::error::$*"
  exit 1
}
event() {
  jq -r "$1 // empty" "$GITHUB_EVENT_PATH"
}
output() {
  printf '%s=%s\n' "$1" "$(printf '%s' "$2" | tr -d '\r\n')" >>"$GITHUB_OUTPUT"
}
# What documents say may look like a command to the runner. It takes none until it is told this word.
silence=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
quietly() {
  local code=0
  echo "::stop-commands::$silence"
  "$@" || code=$?
  echo "::$silence::"
  return "$code"
}

for tool in git jq curl; do
  command -v "$tool" >/dev/null || fail "$tool is missing on this runner. Install it before this step."
done
case $FAIL_ON in '' | breaking | risky) ;; *) fail 'fail-on must be breaking or risky, or empty.' ;; esac
[ -z "$FAIL_ON" ] || [ "$COMPARE" = true ] || fail 'fail-on needs compare: true.'

is_fork=false number='' base='' branch=''
case $GITHUB_EVENT_NAME in
  pull_request)
    number=$(event .number)
    branch=$(event .pull_request.head.ref)
    base=$(event .pull_request.base.ref)
    [ "$(event .pull_request.head.repo.id)" = "$(event .pull_request.base.repo.id)" ] || is_fork=true
    ;;
  pull_request_target)
    fail 'Use the event pull_request. With pull_request_target the files of strangers would be deployed with your token.'
    ;;
  *)
    [ "$GITHUB_REF_NAME" = "${LIVE_BRANCH:-$(event .repository.default_branch)}" ] || branch=$GITHUB_REF_NAME
    base=$(event .before)
    ;;
esac
printf '%s' "$number" >"$told/number"
printf '%s' "$DASHBOARD_PROJECT" >"$told/project"
event .pull_request.head.sha >"$told/commit"
[ -s "$told/commit" ] || printf '%s' "$GITHUB_SHA" >"$told/commit"

if [ -n "$number" ] && [ "$(event .action)" = closed ]; then
  if [ "$is_fork" = false ] && [ -n "$DASHBOARD_TOKEN" ]; then quietly "$tools/dashboard.sh" end "$branch"; fi
  touch "$told/ended"
  output state ended
  exit 0
fi

[ -e "$DOCS_PATH" ] || fail "The repository has no file or folder $(printf '%q' "$DOCS_PATH"). Check the input path, and that actions/checkout comes first."
if [ "$COMPARE" = true ] && [[ ! $base =~ ^0*$ ]]; then
  PATH=$root/node_modules/.bin:$PATH quietly "$tools/compare.sh" "$base" "$DOCS_PATH" "$told" || touch "$told/incomparable"
  if [ -s "$told/changes.json" ]; then
    output breaking "$(jq .summary.breaking "$told/changes.json")"
    output risky "$(jq .summary.risky "$told/changes.json")"
    if [ -n "$number" ]; then cat "$told/changes.github"; fi
  fi
fi

if [ "$is_fork" = true ] || { [ -z "$DASHBOARD_TOKEN" ] && [ "$GITHUB_ACTOR" = 'dependabot[bot]' ]; }; then
  echo '::notice::No preview and no comment: GitHub gives the runs of forks and of Dependabot no secrets.'
  touch "$told/foreign"
  output state skipped
  exit 0
fi

if [ -n "$branch" ]; then
  export DASHBOARD_BRANCH=$branch DASHBOARD_VERSION=''
fi
# 1: the deploy failed, and 3: it is held back, which is told below. Otherwise there is none.
code=0
"$tools/dashboard.sh" deploy "$DOCS_PATH" >"$told/deploy.json" 2>"$told/deploy.log" || code=$?
quietly cat "$told/deploy.log"
{ [ "$code" -le 1 ] || [ "$code" -eq 3 ]; } && [ -s "$told/deploy.json" ] ||
  fail "Nothing was deployed. $(tail -n 1 "$told/deploy.log")"
[ "$code" -ne 3 ] || echo "::warning::The deploy is held back until an owner confirms it: $(jq -r .page "$told/deploy.json")"
output state "$(jq -r 'if .held then "held" else .state end' "$told/deploy.json")"
output url "$(jq -r .address "$told/deploy.json")"
output deploy "$(jq -r .id "$told/deploy.json")"
