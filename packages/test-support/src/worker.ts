import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { beginFile, endWorker } from './clean-up.ts';
import { ROOT } from './root.ts';
import { beginSuite, endSuite } from './untracked-work.ts';
import { watchFile } from './watchdog.ts';
import { CLAIMS, FILES } from './whole-run.ts';

// Runs files of tests one after the other in one process, each as a suite, and takes the next one that no other worker
// has taken: what a hundred files load, and what Node has learnt of it, is there for all of them.

/** A worker makes a folder for each file that it takes, by the file's place in the list. */
function claim(index: number): boolean {
  try {
    mkdirSync(join(process.env[CLAIMS] ?? '', `${index}`));
    return true;
  } catch (error) {
    // Another worker has it.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const files = JSON.parse(process.env[FILES] ?? '[]') as string[];
for (const [index, file] of files.entries()) {
  if (!claim(index)) continue;
  await suite(file, async () => {
    beginSuite();
    watchFile(file);
    beginFile();
    await import(pathToFileURL(resolve(ROOT, file)).href);
  });
  endSuite();
}
await endWorker();
