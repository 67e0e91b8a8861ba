import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { ROOT } from '@petstore/test-support/root.ts';

// What `ending.test.ts` promises holds for all files of tests, as long as they keep to this.

const PATTERNS = [
  '{apps,packages}/*/test/**/*.ts',
  'start/{*.test,support}.ts',
  'packages/test-support/src/*.ts',
];
const WATCHDOG = join(ROOT, 'packages/test-support/src/watchdog.ts');

/** They are what others use in place of Node's own. */
const ALLOWED = [
  'packages/test-support/src/clean-up.ts',
  'packages/test-support/src/endings.ts',
  'packages/test-support/src/children.ts',
  // It waits for what it runs.
  'packages/test-support/src/launch-browser.ts',
].map((file) => join(ROOT, file));
/** They run files of tests, and are none. */
const RUNNERS = /\/src\/(run|repeat)-tests\.ts$/;
const FIXTURES = join(import.meta.dirname, 'fixtures');

const files = globSync(PATTERNS, { cwd: ROOT });
const sources = new Map(
  files.map((file) => [join(ROOT, file), readFileSync(join(ROOT, file), 'utf8')]),
);

/** The files of the tests that a file imports, as they stand in its code; types are none. */
function importsOf(path: string): string[] {
  const source = sources.get(path) ?? '';
  const specifiers = source.matchAll(/^(?:import|export) (?!type )(?:[^;']* from )?'([^']+)'/gm);
  return [...specifiers].map(([, specifier = '']) =>
    specifier.startsWith('@petstore/test-support/')
      ? specifier.replace('@petstore/test-support', join(ROOT, 'packages/test-support/src'))
      : resolve(dirname(path), specifier),
  );
}

function loadsWatchdog(path: string, seen = new Set<string>()): boolean {
  if (path === WATCHDOG) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  return importsOf(path).some((imported) => loadsWatchdog(imported, seen));
}

test('every file of tests is watched, so that it ends', () => {
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts'));
  assert.ok(tests.length > 200);
  const unwatched = tests.filter((path) => !loadsWatchdog(path));
  assert.deepEqual(unwatched, [], "they lack: import '@petstore/test-support/clean-up.ts';");
});

test('whatever a test begins is ended by cleanUp, spawnChild and forkChild alone', () => {
  const bypass =
    /\bt\.after\(|\bafter\b[^;]* from 'node:test'|\b(?:spawn|fork|exec\w*)\b[^;]* from 'node:child_process'/;
  const found = [...sources]
    .filter(
      ([path]) => !ALLOWED.includes(path) && !RUNNERS.test(path) && dirname(path) !== FIXTURES,
    )
    .flatMap(([path, source]) => {
      const [match] = bypass.exec(source) ?? [];
      return match ? [`${path}: ${match}`] : [];
    });
  assert.deepEqual(found, []);
});
