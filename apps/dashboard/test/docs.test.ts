import { test } from 'node:test';
import { assertMapNames, assertVariablesExplained } from '@petstore/test-support/documents.ts';
import { ROOT } from '@petstore/test-support/program.ts';
import { readConfig } from '../server/src/config.ts';
import { dashboard } from './support/dashboard-program.ts';

test('the help and the documentation explain every variable that the configuration reads', async () => {
  const { stdout } = await dashboard(ROOT, ['--help']);
  await assertVariablesExplained(readConfig, stdout, 'docs/dashboard.md');
});

test('the map names every source file of the server and of the shared packages', async () => {
  const map = 'docs/dashboard-architecture.md';
  await assertMapNames(map, 'apps/dashboard/server/src', '');
  await assertMapNames(map, 'packages/reference/src', 'packages/reference/src/');
});
