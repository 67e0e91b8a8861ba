#!/usr/bin/env bash
# Renews the note on a merge request of GitLab's, or writes it if there is none. It needs bash, curl and jq.
#
#   renew-note.sh NUMBER FILE
#
# The first line of FILE marks the note. A note of somebody else is never taken for it, whatever it begins with.
#
#   CI_API_V4_URL   https://gitlab.example.com/api/v4
#   CI_PROJECT_ID   the project's number
#   GITLAB_TOKEN    a project access token with the scope api
#   RENEW_ONLY      true: write none if there is none
set -euo pipefail

number=$1 file=$2
notes=/projects/$CI_PROJECT_ID/merge_requests/$number/notes
mark=$(head -n 1 "$file")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The token is in no argument, since other users of the machine see those.
request() {
  local method=$1 path=$2 status
  shift 2
  status=$(curl --silent --show-error --globoff --connect-timeout 20 --max-time 60 --request "$method" \
    --header @<(printf 'PRIVATE-TOKEN: %s\n' "$GITLAB_TOKEN") \
    --output "$folder/response" --write-out '%{http_code}' "$@" "$CI_API_V4_URL$path") || status=000
  case $status in
    2??) return ;;
    401 | 403 | 404) echo "GitLab refuses the note ($status). GITLAB_TOKEN must be a project access token with the scope api, and not have ended." >&2 ;;
    *) echo "GitLab did not take the note ($status): $(head -c 500 "$folder/response" 2>/dev/null)" >&2 ;;
  esac
  exit 1
}

request GET /user --retry 3
self=$(jq .id "$folder/response")
found='' page=1
while [ -z "$found" ]; do
  request GET "$notes?per_page=100&page=$page&sort=asc&order_by=created_at" --retry 3
  found=$(jq -r --arg mark "$mark" --argjson self "$self" \
    'map(select(.author.id == $self and (.body | split("\n")[0]) == $mark)) | first | .id // empty' "$folder/response")
  [ "$(jq length "$folder/response")" -eq 100 ] || break
  page=$((page + 1))
done

jq -n --rawfile body "$file" '{body: $body}' >"$folder/body.json"
send=(--data-binary @"$folder/body.json" --header 'Content-Type: application/json')
if [ -n "$found" ]; then
  request PUT "$notes/$found" --retry 3 "${send[@]}"
elif [ "${RENEW_ONLY:-}" != true ]; then
  request POST "$notes" "${send[@]}"
fi
