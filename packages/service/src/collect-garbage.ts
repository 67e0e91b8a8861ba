import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: NodeJS.GCFunction | undefined;

/**
 * Has V8 collect garbage now. Its function for that is exposed at the first call, not at the start: whoever never calls
 * it does not pay for another context. Modules that are loaded after that are compiled anew, since compiled code is
 * stale under other flags.
 */
export function collectGarbage(options?: NodeJS.GCOptions): void {
  collect ??= exposed();
  if (options === undefined) collect();
  else void collect(options);
}

function exposed(): NodeJS.GCFunction {
  // Only a new context sees the flag.
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
}
