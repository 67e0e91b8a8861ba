import type { Log } from './log.ts';

/**
 * How soon after the first signal another one counts as the same, in milliseconds. One Ctrl-C in `npm start` arrives
 * twice: from the terminal, and passed on by npm.
 */
export const SAME_SIGNAL_MS = 500;

export interface Stopping {
  /** Ends the service; the process then ends by itself, with nothing left to do. */
  readonly close: () => Promise<void>;
  /** The time limit for that. After it, the process ends with exit code 1. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** Whether the end of standard input counts as a signal, too. */
  readonly untilStdinEnds?: boolean | undefined;
}

/** An option for a program that starts the service, and may be killed before it can stop it. */
export const UNTIL_STDIN_ENDS = [
  '--until-stdin-ends',
  'stop, as on SIGTERM, when standard input ends: at the latest with the program at the other end',
] as const;

/**
 * On the first SIGINT or SIGTERM closes the service, so that requests under way finish, within
 * bounds; a second one ends the process at once, with exit code 1.
 */
export function stopOnSignal({ close, timeoutMs, log, untilStdinEnds }: Stopping): void {
  let stoppingSince: number | undefined;
  const stop = async (signal: NodeJS.Signals | 'end of standard input') => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    const deadline = setTimeout(() => {
      log.error({ timeoutMs }, 'the service did not stop in time; the process exits with code 1');
      process.exit(1);
    }, timeoutMs);
    await close();
    clearTimeout(deadline);
    log.info('stopped');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (untilStdinEnds) {
    const ended = () => stoppingSince === undefined && stop('end of standard input');
    process.stdin.once('end', ended).once('error', ended).resume();
    // The service keeps the process alive, and an open pipe does not. A file has nothing to let go of.
    process.stdin.unref?.();
  }
}

/** What a program has started, to be ended in reverse order. */
export interface Shutdown {
  /** Adds a part, to be ended before the earlier ones. If the shutdown has begun, ends it at once, and throws. */
  add(close: () => Promise<unknown>): Promise<void>;
  readonly isUnderWay: boolean;
  /** Ends all parts, once. */
  stop(): Promise<void>;
}

/** Shuts down on SIGINT and SIGTERM. A second signal ends the process at once. */
export function stopOnSignals(): Shutdown {
  const parts = new AsyncDisposableStack();
  let since: number | undefined;
  let ended: Promise<void> | undefined;
  const shutdown: Shutdown = {
    async add(close) {
      if (since === undefined) return parts.defer(async () => void (await close()));
      await close();
      throw new Error('The program was stopped while it was starting.');
    },
    get isUnderWay() {
      return since !== undefined;
    },
    stop() {
      since ??= performance.now();
      ended ??= parts.disposeAsync();
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
