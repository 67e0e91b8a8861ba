import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** The pause of a client, in milliseconds: enough requests to meet whatever goes wrong, without using up the machine. */
const PAUSE_MS = 10;

/**
 * Sends requests again and again, several at a time, until `end`, which resolves with how many had a response. It
 * rejects where a request failed, or had another status.
 */
export function steadyLoad(
  send: () => Promise<{ readonly status: number; readonly text: string }>,
  status: number,
  clients = 6,
) {
  let isOver = false;
  let responses = 0;
  const client = async () => {
    while (!isOver) {
      const response = await send();
      assert.equal(response.status, status, response.text);
      responses++;
      await sleep(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  // It is told at the end.
  all.catch(() => undefined);
  return {
    async end(): Promise<number> {
      isOver = true;
      await all;
      return responses;
    },
  };
}
