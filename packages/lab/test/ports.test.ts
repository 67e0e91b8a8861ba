import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram, startProgram } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

/** So many of 15,000 that two processes would meet ten times by chance. */
const PORTS = 400;

/** Prints ports, each as soon as it has it, and goes on while its standard input is open. */
const TAKE = `
import { anyPort } from '../src/ports.ts';
for (let i = 0; i < ${PORTS}; i += 1) console.log(await anyPort([]));
process.stdin.resume();
`;

const skip = process.platform !== 'linux' && 'Only Linux has names that end with their process.';

test('a port that nobody listens on yet is given to one process, and once', { skip }, async (t) => {
  const args = ['--input-type=module-typescript', '--eval', TAKE];
  const first = startProgram(t, process.execPath, args, import.meta.dirname);
  const portsOf = (stdout: string) => stdout.split('\n').filter(Boolean);
  await timeUntil(async () => portsOf(first.output.stdout).length === PORTS);
  const second = await runProgram(process.execPath, args, import.meta.dirname);
  assert.equal(second.code, 0, second.stderr);
  const all = [...portsOf(first.output.stdout), ...portsOf(second.stdout)];
  assert.equal(all.length, 2 * PORTS);
  assert.equal(new Set(all).size, 2 * PORTS);
});
