/** How soon after the first signal another one is taken for the same, in milliseconds: npm passes it on. */
const SAME_SIGNAL_MS = 500;

/** What is to be ended with the lab, whenever that is. */
export interface Stopping {
  /** Has it ended with the lab, before all that was added before. Where the lab ends already: at once, and throws. */
  add(close: () => Promise<unknown>): Promise<void>;
  readonly isUnderWay: boolean;
  /** Ends all, once. */
  stop(): Promise<void>;
}

/** Stops on SIGINT and SIGTERM; another signal, some time after the first one, ends the process at once. */
export function stopOnSignals(): Stopping {
  const closers: (() => Promise<unknown>)[] = [];
  let since: number | undefined;
  let ended: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  }
  const stopping: Stopping = {
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
    stopping.stop();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return stopping;
}
