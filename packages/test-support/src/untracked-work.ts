import hooks from 'node:async_hooks';

// Loaded before all else in each process of tests. node:test follows all that is asynchronous in the process, each
// promise, socket and timer, to know which test it belongs to: up to a third of what tests take. It needs that for two
// things only: to find the suite in which a file that is loaded begins its tests, which `beginSuite` tells it, and to name
// the test that an error which nobody caught belongs to. Such an error still fails the file.

const { AsyncResource, executionAsyncId } = hooks;

/** The ids of tests and suites, as resources. */
const tests = new Set<number>();

let suite: number | undefined;

/** How node:test learns of a test; of nothing else here. */
let tell: hooks.HookCallbacks['init'];

hooks.createHook = ({ init }) => {
  tell = init;
  const hook: hooks.AsyncHook = { enable: () => hook, disable: () => hook };
  return hook;
};

hooks.AsyncResource = class extends AsyncResource {
  constructor(type: string, options?: hooks.AsyncResourceOptions) {
    super(type, options);
    if (type !== 'Test') return;
    tests.add(this.asyncId());
    tell?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
};

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
