import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Turns the first SIGINT or SIGTERM into an aborted signal, so that long work can stop where it can be continued. The
 * exit code becomes the one that shells expect: 128 and the signal's number. A second one ends the process at once.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    process.exitCode = 128 + constants.signals[signal];
    if (controller.signal.aborted) process.exit();
    controller.abort(signal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}

/**
 * Throws the signal's reason when one came, also during a long step that kept the event loop busy: signals are heard
 * between two turns of it.
 */
export async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await nextTurn();
  await nextTurn();
  signal.throwIfAborted();
}
