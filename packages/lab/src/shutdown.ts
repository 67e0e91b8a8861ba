/** A second signal within this time counts as the same, in milliseconds: npm passes signals on. */
const SAME_SIGNAL_MS = 500;

/** Ends the parts of the lab in reverse order. */
export interface Shutdown {
  /** Adds a part, to be ended before the earlier ones. If the shutdown has begun, ends it at once, and throws. */
  add(close: () => Promise<unknown>): Promise<void>;
  readonly isUnderWay: boolean;
  /** Ends all parts, once. */
  stop(): Promise<void>;
}

/** Shuts down on SIGINT and SIGTERM. A second signal ends the process at once. */
export function stopOnSignals(): Shutdown {
  const closers: (() => Promise<unknown>)[] = [];
  let since: number | undefined;
  let ended: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
  const shutdown: Shutdown = {
    async add(close) {
      if (since === undefined) {
        closers.push(close);
        return;
      }
      await close();
      throw new Error('npm run lab: it was stopped.');
    },
    get isUnderWay() {
      return since !== undefined;
    },
    stop() {
      since ??= performance.now();
      ended ??= endAll();
      return ended;
    },
  };
  const onSignal = () => {
    if (since !== undefined && performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
    shutdown.stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return shutdown;
}
