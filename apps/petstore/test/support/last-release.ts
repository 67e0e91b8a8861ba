import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { type Outcome, runProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

/** The last commit whose programs are of the schema before this one's. A release's tag takes its place when there is one. */
const LAST_RELEASE = { commit: '5719a7b93fc5b8adba9959f68cfbefbb24d3c184', schema: 3 };

/**
 * The last release, installed in a folder of its own as its lockfile has it: the path of its `petstore`, and the version
 * of its schema. A string instead says why it cannot be had here, where it need not be.
 */
export async function lastRelease(
  t: Ending,
): Promise<{ petstore: string; schema: number } | string> {
  const { commit, schema } = LAST_RELEASE;
  const { code } = await runProgram('git', ['cat-file', '-e', `${commit}^{commit}`], ROOT);
  if (code !== 0) return `the last release (${commit}) is not in the history of this checkout`;
  const folder = join(await temporaryFolder(t), 'release');
  const why = await install(commit, folder);
  if (why !== undefined) {
    if (process.env.CI_REQUIRES_ALL === '1') assert.fail(why);
    return why;
  }
  const petstore = join(folder, 'apps/petstore/bin/petstore.js');
  assert.ok(existsSync(petstore));
  return { petstore, schema };
}

/** Puts a commit's programs and the packages that they need into `folder`, and says what went wrong. */
async function install(commit: string, folder: string): Promise<string | undefined> {
  await mkdir(folder);
  const archive = join(folder, '..', 'release.tar');
  const left = ['--omit=dev', '--omit=optional', '--ignore-scripts'];
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const steps: [string, () => Promise<Outcome>][] = [
    ['git', () => runProgram('git', ['archive', '--output', archive, commit], ROOT)],
    ['tar', () => runProgram('tar', ['-xf', archive], folder)],
    [
      'npm ci',
      () =>
        runProgram('npm', ['ci', ...left, '--prefer-offline', '--no-audit', '--no-fund'], folder, {
          ...(process.env as Record<string, string>),
          PATH: path,
        }),
    ],
  ];
  for (const [name, step] of steps) {
    const { code, stderr } = await step();
    if (code !== 0) return `the last release (${commit}) cannot be installed: ${name}: ${stderr}`;
  }
  return undefined;
}
