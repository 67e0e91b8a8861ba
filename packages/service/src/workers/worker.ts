import { Channel, type Handlers } from './channel.ts';

/** The descriptors before are the standard ones, and the channel. */
const FIRST_SOCKET = 4;

/** The descriptor of the socket that a worker has of the supervisor's port `at`, from 0 on. */
export function socketOf(at: number): number {
  return FIRST_SOCKET + at;
}

/** How a worker is to end: as a part of a service that ends, or while others of it go on. */
export interface Stop {
  readonly isReplaced: boolean;
}

interface Membership {
  /** What the supervisor may ask for. */
  readonly handlers?: Handlers;
  /** Closes the service. */
  readonly stop: (how: Stop) => Promise<void>;
  /** How long that may take, in milliseconds; then the process ends all the same, with exit code 1. */
  readonly timeoutMs: number;
}

/**
 * Begins to be a worker of the supervisor that started this process. Signals are the supervisor's to hear: those of a
 * terminal reach all processes. Ends at once when the supervisor is gone.
 */
export function joinSupervisor({ handlers, stop, timeoutMs }: Membership): Channel {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(1));
  return new Channel(process, {
    ...handlers,
    stop: async (how: Stop) => {
      setTimeout(() => process.exit(1), timeoutMs).unref();
      await stop(how);
      // The channel would keep the process.
      setImmediate(() => process.exit());
    },
  });
}
