#!/usr/bin/env bash
# Renews the comment on a pull request of GitHub's, or writes it if there is none, and prints its address. It runs in any
# CI, by bash, curl and jq alone.
#
#   renew-comment.sh NUMBER FILE
#
# The first line of FILE marks the comment: <!-- dashboard: my-api -->. A comment of somebody else is never taken for it,
# whatever it begins with, since its author could put another address into what we say.
#
#   GITHUB_REPOSITORY  owner/name
#   GITHUB_TOKEN       a token that may write comments on pull requests
#   GITHUB_API_URL     https://api.github.com
#   COMMENT_AUTHOR     the login to which the token belongs (github-actions[bot])
#   RENEW_ONLY         true: write none if there is none
set -euo pipefail

number=$1 file=$2
api=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY
author=${COMMENT_AUTHOR:-github-actions[bot]}
mark=$(head -n 1 "$file")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The token is in no argument, since other users of the machine see those.
request() {
  local method=$1 path=$2 status
  shift 2
  status=$(curl --silent --show-error --globoff --connect-timeout 20 --max-time 60 --request "$method" \
    --header @<(printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN") \
    --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
    --output "$folder/response" --write-out '%{http_code}' "$@" "$api$path") || status=000
  case $status in
    2??) return ;;
    401 | 403 | 404) echo "::error::GitHub refuses the comment ($status). Give the job the permission pull-requests: write, or set comment: false." >&2 ;;
    *) echo "::error::GitHub did not take the comment ($status): $(jq -r '.message | strings | gsub("\\s+"; " ")' "$folder/response" 2>/dev/null)" >&2 ;;
  esac
  exit 1
}

found=''
page=1
while [ -z "$found" ]; do
  request GET "/issues/$number/comments?per_page=100&page=$page" --retry 3
  found=$(jq -r --arg mark "$mark" --arg author "$author" \
    'map(select(.user.login == $author and ((.body // "") | split("\n")[0] | rtrimstr("\r")) == $mark)) | first | .id // empty' "$folder/response")
  [ "$(jq length "$folder/response")" -eq 100 ] || break
  page=$((page + 1))
done

jq -n --rawfile body "$file" '{body: $body}' >"$folder/body.json"
send=(--data-binary @"$folder/body.json" --header 'Content-Type: application/json')
if [ -n "$found" ]; then
  request PATCH "/issues/comments/$found" --retry 3 "${send[@]}"
elif [ "${RENEW_ONLY:-}" = true ]; then
  exit 0
else
  request POST "/issues/$number/comments" "${send[@]}"
fi
jq -r .html_url "$folder/response"
