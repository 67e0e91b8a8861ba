import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Makes a function that does long pieces of work one after the other, one in each turn of the event loop, however many
 * are asked for at once. Other requests have their turn between two of them.
 */
export function oneATurn(): <T>(work: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.then(
      () => nextTurn(),
      () => nextTurn(),
    );
    return done;
  };
}
