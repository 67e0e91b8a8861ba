import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { finished, startProgram } from '../src/program.ts';

test('what a program wrote is whole once it has finished, also where it is known to have ended before', async (t) => {
  // What it leaves behind writes when Node knows of its end, and closes its standard input.
  const script = 'exec 3<&0; { read -r _ <&3; echo late; } & echo early; exit 3';
  const program = startProgram(t, 'sh', ['-c', script], import.meta.dirname);
  await once(program.child, 'exit');
  const whole = { code: 3, stdout: 'early\nlate\n', stderr: '' };
  assert.deepEqual(await finished(program), whole);
  assert.deepEqual(await finished(program), whole, 'asked again');
});
