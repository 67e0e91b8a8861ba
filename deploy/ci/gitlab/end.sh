#!/usr/bin/env bash
# Ends the preview of a merge request, and says so in its note.
set -euo pipefail

tools=$(cd "$(dirname "$0")/.." && pwd)
told=$(mktemp -d)
trap 'rm -rf "$told"' EXIT

"$tools/dashboard.sh" end "$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"
[ -n "${GITLAB_TOKEN:-}" ] || exit 0
touch "$told/ended"
"$tools/comment-body.sh" "$told" >"$told/body.md"
RENEW_ONLY=true "$tools/gitlab/renew-note.sh" "$CI_MERGE_REQUEST_IID" "$told/body.md"
