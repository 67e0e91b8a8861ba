import { constants } from 'node:os';

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
