#!/usr/bin/env bash
# Signs in with Keycloak, a provider that others wrote: npm run test:keycloak. Needs Java 17 and Maven, which brings it.
set -euo pipefail
cd "$(dirname "$0")/../../../../.."

version=26.4.7
home=${XDG_CACHE_HOME:-$HOME/.cache}/petstore/keycloak-$version

for program in java mvn; do
  command -v "$program" > /dev/null || {
    echo "$program is missing: install openjdk-17-jre-headless and maven, or what your system calls them." >&2
    exit 1
  }
done
if [[ ! -f $home/bin/kc.sh ]]; then
  draft=$(mktemp -d)
  trap 'rm -rf "$draft"' EXIT
  # Without a project, the plugin leaves a note of what it did in the current folder.
  (cd "$draft" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack \
    -Dartifact=org.keycloak:keycloak-quarkus-dist:$version:zip -DoutputDirectory="$draft")
  mkdir -p "$(dirname "$home")"
  mv "$draft/keycloak-$version" "$home"
fi
export KEYCLOAK_HOME=$home
exec node packages/test-support/src/run-tests.ts apps/dashboard/test/oidc/keycloak/keycloak.ts
