import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { startProgram } from '@petstore/test-support/program.ts';
import { PETSTORE } from './program.ts';

/** Starts a command of `petstore` in a folder, and does not wait for it. */
export function start(t: Ending, folder: string, ...args: string[]) {
  return startProgram(t, process.execPath, [PETSTORE, ...args], folder, {});
}

/** Runs a script in a shell in which `petstore` is a command. */
export function shell(t: Ending, folder: string, script: string, env: Record<string, string> = {}) {
  const prelude = 'petstore() { "$NODE" "$PETSTORE" "$@"; }; ';
  return startProgram(t, 'bash', ['-c', prelude + script], folder, {
    NODE: process.execPath,
    PETSTORE,
    ...env,
  });
}

/** How many animals a database holds, after SQLite found it sound, and undid what was half done. */
export function soundCount(file: string): number {
  const db = new DatabaseSync(file);
  try {
    const check = db.prepare('PRAGMA integrity_check').get()?.integrity_check;
    if (check !== 'ok') throw new Error(`${file}: ${check}`);
    return Number(db.prepare('SELECT count(*) AS n FROM pets').get()?.n);
  } finally {
    db.close();
  }
}

/** Whether SQLite makes a log beside the file for whoever reads it. */
export async function isInWalMode(file: string): Promise<boolean> {
  // https://sqlite.org/fileformat.html, section 1.3.2: 1 is a rollback journal, 2 is WAL.
  return (await readFile(file)).subarray(18, 20).includes(2);
}
