#!/usr/bin/env bash
# Tells what publish.sh did: in the summary of the job, and in the comment of the pull request.
set -euo pipefail

tools=$(cd "$GITHUB_ACTION_PATH/.." && pwd)
told=$RUNNER_TEMP/dashboard-ci
number=$(cat "$told/number")

DASHBOARD_PROJECT=$(cat "$told/project") COMMIT=$(cat "$told/commit") \
  "$tools/comment-body.sh" "$told" | tee "$told/body.md" >>"$GITHUB_STEP_SUMMARY"

[ "$COMMENT" = true ] && [ -n "$number" ] && [ ! -e "$told/foreign" ] || exit 0
# A pull request that never had a preview needs no word of its end.
if [ -e "$told/ended" ]; then export RENEW_ONLY=true; fi
url=$("$tools/github/renew-comment.sh" "$number" "$told/body.md")
printf 'url=%s\n' "$(printf '%s' "$url" | tr -d '\r\n')" >>"$GITHUB_OUTPUT"
