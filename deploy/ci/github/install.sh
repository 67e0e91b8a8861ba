#!/usr/bin/env bash
# Brings `dashboard diff`, from the checkout in which the runner has this action.
set -euo pipefail

root=$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)
[ "$COMPARE" = true ] || exit 0
[ ! -x "$root/node_modules/.bin/dashboard" ] || exit 0
if [ ! -f "$root/package-lock.json" ]; then
  command -v dashboard >/dev/null && exit 0
  echo '::error::This copy of the action lacks the repository around it, from which it installs the command. Use it from the whole repository, put dashboard into the PATH, or set compare: false.'
  exit 1
fi
npm ci --prefix "$root" --omit=dev --ignore-scripts --no-audit --no-fund --workspace apps/dashboard --include-workspace-root
