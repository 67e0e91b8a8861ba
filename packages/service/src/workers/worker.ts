import { Channel, type Handlers } from './channel.ts';

/** The first descriptors are the standard ones and the channel. */
const FIRST_SOCKET = 4;

/** The descriptor of the socket that a worker gets of the supervisor's port `at`, from 0 on. */
export function socketOf(at: number): number {
  return FIRST_SOCKET + at;
}

/** How a worker should end: together with the service, or while other workers go on. */
export interface Stop {
  readonly isReplaced: boolean;
}

interface Membership {
  /** The handlers of the supervisor's requests. */
  readonly handlers?: Handlers;
  /** Closes the service. `hurry` aborts where a replaced worker should end like one that is not replaced. */
  readonly stop: (how: Stop, hurry: AbortSignal) => Promise<void>;
  /** The time limit for that, in milliseconds. After it, the process ends with exit code 1. */
  readonly timeoutMs: number;
  /** How much longer a replaced worker may take, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Makes this process a worker of the supervisor that started it. It ignores signals, which are for the supervisor:
 * those of a terminal reach all processes. It ends at once when the supervisor is gone.
 */
export function joinSupervisor(membership: Membership): Channel {
  const { handlers, stop, timeoutMs, patienceMs = 0 } = membership;
  const hurry = new AbortController();
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(1));
  return new Channel(process, {
    ...handlers,
    stop: async (how: Stop) => {
      setTimeout(() => process.exit(1), timeoutMs + (how.isReplaced ? patienceMs : 0)).unref();
      if (isStopping) return hurry.abort();
      isStopping = true;
      await stop(how, hurry.signal);
      // The channel would keep the process alive.
      setImmediate(() => process.exit());
    },
  });
}
