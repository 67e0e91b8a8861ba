import { after } from 'node:test';
import { testsAreDone } from './watchdog.ts';

/** What ends: a test, by its context, or a file of tests. */
export interface Ending {
  after(work: () => Promise<void>): void;
}

type Work = () => unknown;

const stacks = new WeakMap<Ending, Work[]>();

/** The end of the whole file of tests. */
export const FILE: Ending = { after: (work) => after(() => work().finally(testsAreDone)) };

// Registered when the file is loaded: an `after` inside of a hook would belong to the hook.
stacks.set(FILE, onEnd(FILE));

/**
 * Has something done when a test, or a file of tests, ends. What was begun last ends first: a service before the
 * folder in which it writes. Each is done whatever becomes of the others, and an error fails the test.
 * Used in place of `t.after`, which does all in the order in which it was asked and stops at the first error.
 */
export function cleanUp(t: Ending, work: Work): void {
  const stack = stacks.get(t) ?? onEnd(t);
  stacks.set(t, stack);
  stack.push(work);
}

function onEnd(t: Ending): Work[] {
  const stack: Work[] = [];
  t.after(async () => {
    const errors: unknown[] = [];
    for (let work = stack.pop(); work; work = stack.pop()) {
      try {
        await work();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} clean-ups failed`);
    if (errors.length === 1) throw errors[0];
  });
  return stack;
}
