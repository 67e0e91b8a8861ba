import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { DEPLOY, deployFile, SLOWEST_STOP_SECONDS } from '../support/deploy-files.ts';

/** What `systemd-analyze security` may find at most, from 0 (nothing is exposed) to 10. */
const MAX_EXPOSURE = 1.2;

/** Runs systemd-analyze on the unit; undefined, and the test skipped, where there is none. */
async function analyze(t: TestContext, unit: string, ...args: string[]) {
  try {
    return await runProgram('systemd-analyze', [...args, unit], DEPLOY, {});
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
    assert.notEqual(process.env.CI_REQUIRES_ALL, '1', 'systemd-analyze is missing');
    t.skip('systemd-analyze is missing (Debian: apt-get install systemd)');
    return undefined;
  }
}

/** The unit of the API with its drop-ins, and that of the dashboard. */
const UNITS = {
  'petstore.service': ['systemd', 'petstore.service.d/workers.conf'],
  'dashboard@.service': ['cluster/service'],
};

/** A copy of a unit and its drop-ins in which Node is where it is on this machine. */
async function unitOfThisMachine(t: TestContext, unit: keyof typeof UNITS): Promise<string> {
  const [from = '', ...dropIns] = UNITS[unit];
  const folder = await temporaryFolder(t);
  await cp(join(DEPLOY, from), folder, { recursive: true });
  for (const name of [unit, ...dropIns]) {
    const file = join(folder, name);
    const text = await readFile(file, 'utf8');
    assert.match(text, /^ExecStart=\/usr\/bin\/node /m);
    await writeFile(file, text.replace('/usr/bin/node', process.execPath));
  }
  return join(folder, unit);
}

for (const unit of Object.keys(UNITS) as (keyof typeof UNITS)[]) {
  test(`systemd finds nothing wrong with ${unit} and its drop-ins`, async (t) => {
    const outcome = await analyze(t, await unitOfThisMachine(t, unit), 'verify');
    if (!outcome) return;
    assert.deepEqual(outcome, { code: 0, stdout: '', stderr: '' });
  });

  test(`what ${unit} leaves exposed stays within bounds`, async (t) => {
    const copy = await unitOfThisMachine(t, unit);
    const outcome = await analyze(t, copy, 'security', '--offline=true', '--no-pager');
    if (!outcome) return;
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(outcome.stdout)?.[1]);
    assert.ok(exposure <= MAX_EXPOSURE, outcome.stdout);
  });
}

test('systemd kills only after the time that the service has to stop', async () => {
  const unit = await deployFile('systemd/petstore.service');
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  assert.ok(seconds > SLOWEST_STOP_SECONDS);
});
