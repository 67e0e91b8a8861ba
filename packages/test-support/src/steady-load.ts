import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again, several at a time, until `end`, which gives how many were answered. It rejects where one failed,
 * or had another status.
 */
export function steadyLoad(
  send: () => Promise<{ readonly status: number; readonly text: string }>,
  status: number,
  clients = 6,
) {
  let isOver = false;
  let answered = 0;
  const client = async () => {
    while (!isOver) {
      const response = await send();
      assert.equal(response.status, status, response.text);
      answered++;
      await sleep(2);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  // It is told at the end.
  all.catch(() => undefined);
  return {
    async end(): Promise<number> {
      isOver = true;
      await all;
      return answered;
    },
  };
}
