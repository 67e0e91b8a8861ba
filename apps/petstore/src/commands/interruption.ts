import { constants } from 'node:os';

/**
 * Turns the first SIGINT or SIGTERM into an aborted signal, so that long work can stop at a place
 * from which it can go on; the exit code becomes what shells expect, 128 and the signal's number. A
 * second one ends the process at once.
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
