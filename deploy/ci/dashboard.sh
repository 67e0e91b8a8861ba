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
#   DASHBOARD_COMMIT    the commit that it is made of; `none`: say nothing of one. Otherwise git and the variables of
#                       GitHub's, GitLab's, Gitea's and Bitbucket's jobs tell it, and what follows
#   DASHBOARD_COMMIT_AUTHOR, DASHBOARD_COMMIT_MESSAGE, DASHBOARD_COMMIT_BRANCH
#   DASHBOARD_REPOSITORY, DASHBOARD_REPOSITORY_FOLDER
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

# git_in FOLDER ARGUMENT…: what git prints there; nothing without git and without a repository.
git_in() {
  git -c core.fsmonitor=false -C "$@" 2>/dev/null || true
}

# event_of FILTER: a part of the event of GitHub's job.
event_of() {
  jq -r "$1 // empty" "${GITHUB_EVENT_PATH:-/dev/null}" 2>/dev/null || true
}

# commit_of PATH: the part of the query that says which commit PATH is of. It is empty where nobody knows.
commit_of() {
  local at=$1 inside=. head job='' hash author='' message='' branch='' repository='' host='' folder='' public=''
  [ "${DASHBOARD_COMMIT:-}" != none ] || return 0
  if [ ! -d "$at" ]; then
    inside=$(basename "$at")
    at=$(dirname "$at")
  fi
  head=$(git_in "$at" rev-parse --verify HEAD)
  if [ -n "${GITHUB_SHA:-}" ]; then
    # Of a pull request a merge of the commit is checked out.
    job=$(event_of .pull_request.head.sha)
    job=${job:-$GITHUB_SHA}
  elif [ -n "${GITLAB_CI:-}" ]; then
    job=${CI_MERGE_REQUEST_SOURCE_BRANCH_SHA:-${CI_COMMIT_SHA:-}}
  else
    job=${BITBUCKET_COMMIT:-}
  fi
  # The job may deploy the checkout of another repository.
  case $head in '' | "$job" | "${GITHUB_SHA:-}" | "${CI_COMMIT_SHA:-}") ;; *) job='' ;; esac
  hash=${DASHBOARD_COMMIT:-${job:-$head}}
  [ -n "$hash" ] || return 0
  branch=$(git_in "$at" symbolic-ref --quiet --short HEAD)
  repository=$(git_in "$at" remote get-url origin)
  author=$(git_in "$at" show -s --no-show-signature --format=%an "$hash^{commit}")
  message=$(git_in "$at" show -s --no-show-signature --format=%s "$hash^{commit}")
  if [ -n "$(git_in "$at" ls-tree --name-only HEAD "$inside")" ]; then
    folder=$(git_in "$at" rev-parse --show-prefix)
    folder=${folder:-.}
  fi
  case $job in
    '') ;;
    "${BITBUCKET_COMMIT:-}")
      host=bitbucket branch=${BITBUCKET_BRANCH:-} repository=https:${BITBUCKET_GIT_HTTP_ORIGIN#http*:}
      ;;
    *)
      if [ -n "${GITHUB_SHA:-}" ]; then
        host=github branch=$(event_of .pull_request.head.ref)
        [ -z "${GITEA_ACTIONS:-}${FORGEJO_ACTIONS:-}" ] || host=gitea
        [[ -n $branch || ${GITHUB_REF:-} != refs/heads/* ]] || branch=${GITHUB_REF_NAME:-}
        repository=$(event_of '(.pull_request.head.repo // .repository).html_url')
        public=$(event_of '(.pull_request.head.repo // .repository).private | if . == false then "true" else empty end')
        repository=${repository:-${GITHUB_SERVER_URL:-}/${GITHUB_REPOSITORY:-}}
        author=${author:-$(event_of .head_commit.author.name)}
        message=${message:-$(event_of .head_commit.message)}
      else
        host=gitlab branch=${CI_MERGE_REQUEST_SOURCE_BRANCH_NAME:-${CI_COMMIT_BRANCH:-}}
        repository=${CI_MERGE_REQUEST_SOURCE_PROJECT_URL:-${CI_PROJECT_URL:-}}
        [ "${CI_PROJECT_VISIBILITY:-}" != public ] || public=true
      fi
      ;;
  esac
  branch=${DASHBOARD_COMMIT_BRANCH:-$branch}
  if [ -n "${DASHBOARD_REPOSITORY:-}" ]; then
    repository=$DASHBOARD_REPOSITORY host='' public=''
  fi
  # The token that a checkout may have in it stays here, and a folder has no page.
  repository=$(sed -E 's#^([a-z]+://)[^/@]*@#\1#' <<<"$repository")
  [[ $repository =~ ^((https?|ssh|git)://|([^@:/]+@)?[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+:[^/]) ]] || repository='' host='' public=''
  printf '&commit=%s' "$(encoded "$hash")"
  parameter commit-author "${DASHBOARD_COMMIT_AUTHOR:-$author}"
  parameter commit-message "${DASHBOARD_COMMIT_MESSAGE:-$message}"
  parameter commit-branch "$branch"
  parameter repository "$repository"
  parameter repository-host "$host"
  parameter repository-public "$public"
  parameter repository-folder "${DASHBOARD_REPOSITORY_FOLDER:-$folder}"
}

# parameter NAME VALUE: a part of a query, with the first line of the value; nothing for an empty one.
parameter() {
  local value=${2%%$'\n'*}
  [ -z "$value" ] || printf '&%s=%s' "$1" "$(jq -rn --arg text "$value" '$text[:300] | @uri')"
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
  # No deploy fails for what is told of its commit.
  query+=$(commit_of "$1") || true
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
