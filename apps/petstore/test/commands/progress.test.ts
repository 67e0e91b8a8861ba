import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { showProgress } from '@petstore/service/progress.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

/** A terminal that keeps what it is sent. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let text = '';
  stream.on('data', (chunk) => (text += chunk));
  return { stream: stream as never, shown: () => text };
}

test('a terminal gets a bar that moves, and what is said stands above it', async () => {
  const { stream, shown } = terminal();
  const progress = await showProgress(200, stream);
  progress.say('before');
  progress.update(50, '50 of 200 animals');
  progress.say('line 7: bad');
  await timeUntil(async () => shown().includes('50 of 200 animals'));
  progress.update(200, '200 of 200 animals');
  progress.stop();
  progress.stop();
  progress.say('done');
  assert.match(shown(), /^before\n/);
  assert.match(shown(), /25 % \| 50 of 200 animals \| /);
  assert.match(shown(), /\r\u001b\[Kline 7: bad\n/);
  assert.match(shown(), /100 % \| 200 of 200 animals \| /);
  assert.match(shown(), /\u001b\[\?25h/, 'the cursor is back');
  assert.match(shown(), /done\n$/);
});

test('where the end is unknown a terminal gets a line that changes', async () => {
  const { stream, shown } = terminal();
  const progress = await showProgress(undefined, stream);
  progress.update(1_000, '1000 animals');
  progress.stop();
  assert.match(shown(), /1000 animals/);
  assert.doesNotMatch(shown(), /%/);
});

test('without a terminal and an end there is a plain line each ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  let text = '';
  const write = (line: string | Uint8Array) => {
    text += line;
    return true;
  };
  const progress = await showProgress(undefined, { write });
  for (let second = 1; second <= 25; second++) {
    t.mock.timers.tick(1_000);
    progress.update(second, `${second} animals`);
  }
  progress.stop();
  assert.equal(text, '10 animals\n20 animals\n');
});
