import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PRELOADED = new URL('stopped-clock.mjs', import.meta.url).href;

/**
 * The clock of the threads of a service, one of which writes: `env` starts the service with it. It stands still from
 * `stop` to `resume`, and so a writer waits for a lock until then and no shorter.
 */
export function clockOfThreads(folder: string) {
  const file = join(folder, 'clock-is-stopped');
  return {
    env: { NODE_OPTIONS: `--import=${PRELOADED}`, STOPPED_CLOCK: file },
    stop: () => writeFile(file, ''),
    resume: () => rm(file),
  };
}
