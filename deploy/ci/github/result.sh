#!/usr/bin/env bash
# Fails where the deploy failed, and for a pull request with changes that fail-on names. The comment is there by then.
set -euo pipefail

told=$RUNNER_TEMP/dashboard-ci
if [ -s "$told/deploy.json" ] && [ "$(jq -r .state "$told/deploy.json")" != succeeded ]; then
  echo '::error::The deploy failed. The comment and the summary say why.'
  exit 1
fi
[ -n "$FAIL_ON" ] && [ -s "$told/number" ] && [ ! -e "$told/ended" ] || exit 0
if [ -e "$told/incomparable" ]; then
  echo '::error::fail-on: the documents could not be compared. The log of this step says why.'
  exit 1
fi
[ -s "$told/changes.json" ] || exit 0
count=$(jq --arg least "$FAIL_ON" '.summary | .breaking + if $least == "risky" then .risky else 0 end' "$told/changes.json")
if [ "$count" -gt 0 ]; then
  echo "::error::fail-on $FAIL_ON: the API has $count such change(s). An exception in docs.yaml allows one that is meant."
  exit 1
fi
