/** What ends: a test, by its context, a file of tests, or a whole run. */
export interface Ending {
  after(work: () => Promise<void>): void;
}

type Work = () => unknown;

const stacks = new WeakMap<Ending, Work[]>();

/**
 * Has something done when a test, or a file of tests, ends. What was begun last ends first: a service before the
 * folder in which it writes. Each is done whatever becomes of the others, and an error fails the test.
 * Used in place of `t.after`, which does all in the order in which it was asked and stops at the first error.
 */
export function cleanUp(t: Ending, work: Work): void {
  if (!stacks.has(t)) beginEnding(t);
  stacks.get(t)?.push(work);
}

/** Has what is cleaned up for `t` from now on done at its end as it is now, apart from what was before. */
export function beginEnding(t: Ending): void {
  const stack: Work[] = [];
  stacks.set(t, stack);
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
}
