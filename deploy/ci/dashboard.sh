#!/usr/bin/env bash
# Publishes API documentation with curl alone. It needs bash, curl, jq, tar, and no other file of this repository.
#
#   dashboard.sh deploy FILE|FOLDER|ARCHIVE   prints the finished deploy as JSON; exit code 1 where it failed,
#                                             3 where it is held back until an owner confirms it
#   dashboard.sh end BRANCH                   ends the preview of a branch, if it has one
#
#   DASHBOARD_URL       address of the dashboard, such as https://dashboard.example.com
#   DASHBOARD_TOKEN     API token with the scope `deploy`
#   DASHBOARD_PROJECT   the project
#   DASHBOARD_BRANCH    deploy a preview of this branch; otherwise the deploy goes live
#   DASHBOARD_VERSION   deploy it as this version of the site
#   DASHBOARD_STRICT    true: warnings make it fail
#   DASHBOARD_DOCUMENT  of a folder without docs.yaml: the path of its OpenAPI document
#   DASHBOARD_TIMEOUT   seconds to wait for the end of the build (900)
set -euo pipefail
export LC_ALL=C

fail() {
  printf 'dashboard.sh: %s\n' "$*" >&2
  exit 2
}

for tool in curl jq tar; do
  command -v "$tool" >/dev/null || fail "$tool is missing on this machine. Install it."
done
url=${DASHBOARD_URL:-}
url=${url%/}
project=${DASHBOARD_PROJECT:-}
[[ $url =~ ^https?://[^[:space:]]+$ ]] ||
  fail 'DASHBOARD_URL must be the address of the dashboard, such as https://dashboard.example.com.'
[[ ${DASHBOARD_TOKEN:-} =~ ^[!-~]+$ ]] ||
  fail 'DASHBOARD_TOKEN must be an API token. Create one in the settings of the project.'
[[ $project =~ ^[a-z0-9-]+$ ]] || fail "DASHBOARD_PROJECT must be a project's slug, such as my-api."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

encoded() {
  jq -rn --arg text "$1" '$text | @uri'
}

# request METHOD PATH [OPTION…]: prints the status, or 000 without a response; the body is in $folder/body. The token is
# in no argument, since other users of the machine see those.
request() {
  local method=$1 path=$2
  shift 2
  rm -f "$folder/body"
  curl --silent --show-error --globoff --connect-timeout 20 --max-time 900 --request "$method" \
    --header @<(printf 'Authorization: Bearer %s\n' "$DASHBOARD_TOKEN") \
    --output "$folder/body" --write-out '%{http_code}' "$@" "$url/api/projects/$project$path" || true
}

# refuse STATUS: ends with what the dashboard said.
refuse() {
  local message
  [ "$1" != 000 ] || fail "$url cannot be reached. Check DASHBOARD_URL, and that the dashboard runs."
  message=$(jq -er '.message | strings' "$folder/body" 2>/dev/null) ||
    message="it responded with $1, but not as a dashboard does. Check DASHBOARD_URL."
  fail "$url: $message"
}

# The preview of a branch has a name of 1 to 100 characters. A longer one keeps its beginning, and a mark of its own.
preview_name() {
  local mark
  mark=$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)
  jq -rn --arg name "$1" --arg mark "$mark" \
    '$name | if length > 100 then .[:89] + "-" + $mark else . end'
}

# packed PATH: the file to upload; of a folder an archive without hidden files.
packed() {
  if [ -d "$1" ]; then
    (cd "$1" && find . \( -name '.?*' ! -name .gitbook -o -name node_modules \) -prune -o ! -type d -print0) |
      tar -C "$1" --null -czf "$folder/docs.tar.gz" -T - || fail "$1 cannot be packed."
    printf '%s' "$folder/docs.tar.gz"
  elif [ -f "$1" ]; then
    printf '%s' "$1"
  else
    fail "there is no file or folder $1."
  fi
}

# wait_for ID: waits until the build has ended; the deploy is in $folder/deploy.json then.
wait_for() {
  local status state failures=0 until=$((SECONDS + ${DASHBOARD_TIMEOUT:-900}))
  while :; do
    status=$(request GET "/deploys/$1")
    case $status in
      200)
        failures=0
        state=$(jq -r .state "$folder/body")
        if [ "$state" = succeeded ] || [ "$state" = failed ]; then break; fi
        ;;
      000 | 429 | 5??)
        failures=$((failures + 1))
        [ "$failures" -lt 20 ] || refuse "$status"
        ;;
      *) refuse "$status" ;;
    esac
    [ "$SECONDS" -lt "$until" ] || fail "the build has not ended. See how it goes on: $url/projects/$project/deploys/$1"
    sleep 0.5
  done
  mv "$folder/body" "$folder/deploy.json"
}

# address: where readers find the deploy. What goes live is at the address of the project or of its version.
address() {
  local version status
  if jq -e '.live | not' "$folder/deploy.json" >/dev/null; then
    jq -r '.branchUrl // .url' "$folder/deploy.json"
    return
  fi
  version=$(jq -r '.version // ""' "$folder/deploy.json")
  if [ -n "$version" ]; then
    status=$(request GET /versions)
    [ "$status" = 200 ] || refuse "$status"
    jq -r --arg version "$version" '.items[] | select(.version == $version) | .url' "$folder/body"
  else
    status=$(request GET '')
    [ "$status" = 200 ] || refuse "$status"
    jq -r .url "$folder/body"
  fi
}

deploy() {
  local file query status id name address
  file=$(packed "$1")
  query="strict=$([ "${DASHBOARD_STRICT:-}" = true ] && echo true || echo false)"
  # A dashboard that does not know branches must not put it live either.
  [ -z "${DASHBOARD_BRANCH:-}" ] || query+="&activate=false&branch=$(encoded "$(preview_name "$DASHBOARD_BRANCH")")"
  [ -z "${DASHBOARD_VERSION:-}" ] || query+="&version=$(encoded "$DASHBOARD_VERSION")"
  [ -z "${DASHBOARD_DOCUMENT:-}" ] || query+="&document=$(encoded "$DASHBOARD_DOCUMENT")"
  name=$(encoded "$(basename "$file")")
  printf 'Uploading %q to %s …\n' "$1" "$url" >&2
  status=$(request POST "/deploys?$query" --data-binary @"$file" \
    --header 'Content-Type: application/octet-stream' --header "X-File-Name: $name" --header 'Expect:')
  [ "$status" = 202 ] || refuse "$status"
  id=$(jq -r .id "$folder/body")
  wait_for "$id"
  address=$(address)
  jq --arg address "$address" --arg page "$url/projects/$project/deploys/$id" \
    '. + {address: $address, page: $page}' "$folder/deploy.json"
  jq -r '(.errors[] | ["error", .]), (.warnings[] | ["warning", .]) | "\(.[0]): \(.[1].file // "" | if . == "" then . else . + ": " end)\(.[1].message)"' \
    "$folder/deploy.json" >&2
  [ "$(jq -r .state "$folder/deploy.json")" = succeeded ] || return 1
  if jq -e '.held != null' "$folder/deploy.json" >/dev/null; then
    printf 'Held back: %s\n' "$(jq -r .held.message "$folder/deploy.json")" >&2
    return 3
  fi
}

end_preview() {
  local status
  status=$(request DELETE "/previews/$(encoded "$(preview_name "$1")")")
  case $status in
    204) printf 'Ended the preview of %q.\n' "$1" >&2 ;;
    404)
      # Of a project that is not there too, where it must not pass for done.
      status=$(request GET '')
      [ "$status" = 200 ] || refuse "$status"
      printf '%q has no preview.\n' "$1" >&2
      ;;
    *) refuse "$status" ;;
  esac
}

case "${1:-} $#" in
  'deploy 2') deploy "$2" ;;
  'end 2') end_preview "$2" ;;
  *) fail 'usage: dashboard.sh deploy FILE|FOLDER|ARCHIVE, or dashboard.sh end BRANCH' ;;
esac
