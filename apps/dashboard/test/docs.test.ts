import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertVariablesExplained, readDocument } from '@petstore/test-support/documents.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { OWN_TYPES } from '../server/src/certificates/problem-table.ts';
import { readConfig } from '../server/src/config.ts';
import { VERDICT_CODES } from '../server/src/domains/verdict.ts';
import { STATE_CODES } from '../server/src/repositories/repository-state.ts';
import { dashboard } from './support/dashboard-program.ts';

const DNS = 'apps/dashboard/server/src/domains/dns';

test('the help and the documentation explain every variable that the configuration reads', async () => {
  const { stdout } = await dashboard(ROOT, ['--help']);
  await assertVariablesExplained(readConfig, stdout, 'docs/settings.md');
});

test('the page on custom domains has a place for every verdict, and names every reason', async () => {
  const page = await readDocument('docs/custom-domains.md');
  for (const code of VERDICT_CODES) {
    assert.match(page, new RegExp(`^### \`${code}\`$`, 'm'), `no place for ${code}`);
  }
  const reasons = await reasonsInCode();
  // As many as the code gives at least: a pattern that no longer fits it would find none.
  assert.ok(reasons.size >= 25, [...reasons].join());
  for (const reason of reasons) assert.ok(page.includes(`\`${reason}\``), `not named: ${reason}`);
});

test("the page on custom domains explains every problem that is the dashboard's own", async () => {
  const page = await readDocument('docs/custom-domains.md');
  for (const type of OWN_TYPES) assert.ok(page.includes(`\`${type}\``), `not named: ${type}`);
});

test('the page on repositories explains every state', async () => {
  const page = await readDocument('docs/git.md');
  for (const code of STATE_CODES) assert.ok(page.includes(`\`${code}\``), `not named: ${code}`);
});

/** The reasons of verdicts: written where they are given, or in the types that name them. */
async function reasonsInCode(): Promise<Set<string>> {
  const names = await readdir(join(ROOT, DNS), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts'));
  const source = (await Promise.all(files.map((name) => readDocument(`${DNS}/${name}`)))).join(
    '\n',
  );
  const places = source.match(
    /\breason: [^\n]*|\bwhy: [^;]*?[;,}]|\btype (?:\w+NearMiss|Failure|BrokenLinkReason) = [^;]+;/g,
  );
  const words = (places ?? []).flatMap((place) => place.match(/'[a-z_]+'/g) ?? []);
  return new Set(words.map((word) => word.slice(1, -1)));
}
