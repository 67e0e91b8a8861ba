import hooks from 'node:async_hooks';

// Loaded before all else in each process of tests. node:test follows every promise of the process to know which test it
// belongs to, which takes a fifth of what tests take. It needs that for two things only: to find the suite in which a
// file that is loaded begins its tests, which `beginSuite` tells it, and to name the test that an error which
// nobody caught belongs to. Such an error still fails the file.

const { createHook, executionAsyncId } = hooks;

/** The ids of tests and suites, as resources. */
const tests = new Set<number>();

let suite: number | undefined;

hooks.createHook = (callbacks) =>
  createHook({
    ...callbacks,
    init: (id, type, trigger, resource) => {
      if (type === 'Test') tests.add(id);
      callbacks.init?.(id, type, trigger, resource);
    },
    trackPromises: false,
  });

hooks.executionAsyncId = () => {
  const id = executionAsyncId();
  return tests.has(id) ? id : (suite ?? id);
};

/** Tests that begin outside of any other belong to the suite whose callback this is called in, until `endSuite`. */
export function beginSuite(): void {
  suite = executionAsyncId();
}

export function endSuite(): void {
  suite = undefined;
}
