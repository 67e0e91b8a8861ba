#!/usr/bin/env bash
# A merge request's preview and its note. Writes gl-code-quality-report.json and docs.env, which GitLab collects.
set -euo pipefail

tools=$(cd "$(dirname "$0")/.." && pwd)
told=$(mktemp -d)
trap 'rm -rf "$told"' EXIT
: "${FAIL_ON:=}" "${DASHBOARD_TOKEN:=}" "${GITLAB_TOKEN:=}"

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
case $FAIL_ON in '' | breaking | risky) ;; *) fail 'FAIL_ON must be breaking or risky, or empty.' ;; esac
[ -e "$DOCS_PATH" ] || fail "The repository has no file or folder $(printf '%q' "$DOCS_PATH"). Check DOCS_PATH."

echo '[]' >gl-code-quality-report.json
: >docs.env
verdict=''
if PATH=$(cd "$tools/../.." && pwd)/node_modules/.bin:$PATH \
  "$tools/compare.sh" "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME" "$DOCS_PATH" "$told"; then
  if [ -s "$told/changes.json" ]; then
    cp "$told/changes.gitlab" gl-code-quality-report.json
    count=$(jq --arg least "$FAIL_ON" \
      '.summary | if $least == "" then 0 else .breaking + if $least == "risky" then .risky else 0 end end' "$told/changes.json")
    [ "$count" -eq 0 ] || verdict="FAIL_ON $FAIL_ON: the API has $count such change(s). An exception in docs.yaml allows one that is meant."
  fi
elif [ -n "$FAIL_ON" ]; then
  verdict='FAIL_ON: the documents could not be compared.'
fi

if [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "$CI_MERGE_REQUEST_PROJECT_ID" ]; then
  echo 'No preview and no note: the pipelines of forks have no secrets.'
else
  # 1: the deploy failed, which the note tells. Otherwise there is none.
  code=0
  DASHBOARD_BRANCH=$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME DASHBOARD_VERSION='' \
    "$tools/dashboard.sh" deploy "$DOCS_PATH" >"$told/deploy.json" || code=$?
  [ "$code" -le 1 ] && [ -s "$told/deploy.json" ] || fail 'Nothing was deployed.'
  [ "$code" -eq 0 ] || verdict='The deploy failed. The note says why.'
  printf 'DOCS_URL=%s\n' "$(jq -r .address "$told/deploy.json" | tr -d '\r\n')" >docs.env
  COMMIT=$CI_COMMIT_SHA "$tools/comment-body.sh" "$told" >"$told/body.md"
  if [ -n "$GITLAB_TOKEN" ]; then
    "$tools/gitlab/renew-note.sh" "$CI_MERGE_REQUEST_IID" "$told/body.md"
  else
    echo 'No note: GITLAB_TOKEN is missing. It must be a project access token with the scope api.'
  fi
fi
[ -z "$verdict" ] || fail "$verdict"
