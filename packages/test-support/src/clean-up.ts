import { join } from 'node:path';
import { after } from 'node:test';
import { beginEnding, type Ending } from './endings.ts';
import { doneWatching } from './watchdog.ts';

export { cleanUp, type Ending } from './endings.ts';

/** The end of the whole file of tests. */
export const FILE: Ending = {
  after(work) {
    const done = doneWatching();
    after(() => work().finally(done));
  },
};

const WORKER = join(import.meta.dirname, 'worker.ts');

let endOfWorker: (() => Promise<void>) | undefined;

/** The end of the process: that of the file of tests, or of the last one where a worker has many. */
export const PROCESS: Ending =
  process.argv[1] === WORKER ? { after: (work) => (endOfWorker = work) } : FILE;

/** Has all done that is cleaned up for PROCESS in a worker, which has no more files. */
export async function endWorker(): Promise<void> {
  await endOfWorker?.();
}

// Registered when the file is loaded: an `after` inside of a hook would belong to the hook.
beginFile();

/** Has what is cleaned up for FILE from now on done at the end of the suite that this is called in. */
export function beginFile(): void {
  beginEnding(FILE);
}

/** For a file that measures its own process. `npm test` gives it one that no other file uses. */
export function runAlone(): void {
  if (process.argv[1] === WORKER)
    throw new Error('A file that runs alone must say so in a line of its own: runAlone();');
}
