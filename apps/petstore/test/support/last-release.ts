import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

const run = promisify(execFile);

/** The last commit whose programs are of the schema before this one's. A release's tag takes its place when there is one. */
const LAST_RELEASE = { commit: '5719a7b93fc5b8adba9959f68cfbefbb24d3c184', schema: 3 };

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * The last release, installed in a folder of its own as its lockfile has it: the path of its `petstore`, and the version
 * of its schema. A string instead says why it cannot be had here, where it need not be.
 */
export async function lastRelease(
  t: Ending,
): Promise<{ petstore: string; schema: number } | string> {
  const { commit, schema } = LAST_RELEASE;
  const isInHistory = await run('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!isInHistory) return `the last release (${commit}) is not in the history of this checkout`;
  const folder = join(await temporaryFolder(t), 'release');
  try {
    await mkdir(folder);
    const archive = join(folder, '..', 'release.tar');
    await run('git', ['-C', ROOT, 'archive', '--output', archive, commit]);
    await run('tar', ['-xf', archive, '-C', folder]);
    const left = ['--omit=dev', '--omit=optional', '--ignore-scripts'];
    await run('npm', ['ci', ...left, '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
  } catch (error) {
    const why = `the last release (${commit}) cannot be installed: ${(error as Error).message}`;
    if (process.env.CI_REQUIRES_ALL === '1') assert.fail(why);
    return why;
  }
  const petstore = join(folder, 'apps/petstore/bin/petstore.js');
  assert.ok(existsSync(petstore));
  return { petstore, schema };
}
