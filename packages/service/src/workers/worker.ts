import { Channel, type Handlers } from './channel.ts';

/** The descriptor of the socket that a worker listens on; the first three are the standard ones, and then the channel. */
export const LISTEN_FD = 4;

/** How a worker is to end: as a part of a service that ends, or while others of it go on. */
export interface Stop {
  readonly isReplaced: boolean;
}

/**
 * Begins to be a worker of the supervisor that started this process. Signals are the supervisor's to hear: those of a
 * terminal reach all processes. Ends at once when the supervisor is gone. `stop` closes the service.
 */
export function joinSupervisor(
  handlers: Handlers,
  stop: (how: Stop, channel: Channel) => Promise<void>,
): Channel {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(1));
  const channel = new Channel(process, {
    ...handlers,
    stop: async (how: Stop) => {
      await stop(how, channel);
      // The channel would keep the process.
      setImmediate(() => process.exit());
    },
  });
  return channel;
}
