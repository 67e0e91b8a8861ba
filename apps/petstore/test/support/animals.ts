import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import type { Outcome, Program } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { petstore } from './program.ts';

/** A folder whose store holds so many synthetic animals. */
export async function seededFolder(t: Ending, count: number): Promise<string> {
  const folder = await temporaryFolder(t);
  const { code, stderr } = await petstore(folder, ['seed', '--count', `${count}`]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

/** Another folder with a copy of a store that no process has open. */
export async function copiedFolder(t: Ending, from: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  await copyFile(databaseIn(from), databaseIn(folder));
  return folder;
}

export function databaseIn(folder: string): string {
  return join(folder, 'data/petstore.db');
}

/** One value out of the database of a folder, as SQLite has it. */
export function ask(folder: string, sql: string): unknown {
  // Who closes the database, or opens it after a crash, has it alone for a moment.
  const db = new DatabaseSync(databaseIn(folder), { timeout: 10_000 });
  try {
    return Object.values(db.prepare(sql).get() ?? {})[0];
  } finally {
    db.close();
  }
}

/** Every animal of the store, as `petstore export` writes it, without the program. */
export async function exported(folder: string): Promise<string> {
  const store = openSqliteStore(databaseIn(folder));
  let text = '';
  for (let after: bigint | undefined, isOver = false; !isOver; isOver = after === undefined) {
    const { lines, next } = await store.pets.rows(after, 10_000);
    for (const line of lines) text += `${line}\n`;
    after = next;
  }
  await store.close();
  return text;
}

/** Waits until a condition holds, while the program runs. */
export async function until(
  { child, output }: Program,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!(await condition())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`it ended too soon: ${output.stdout}${output.stderr}`);
    }
    await sleep(2);
  }
}

/**
 * A program that stands still (SIGSTOP) in the midst of its work. A busy machine can keep a test from looking for
 * longer than the work takes: a program that ended unseen is begun anew, ten times at most.
 */
export async function stoppedAtWork<Begun extends { readonly program: Program }>(
  begin: () => Promise<Begun>,
  isAtWork: (begun: Begun) => Promise<boolean>,
): Promise<Begun> {
  for (let times = 0; times < 10; times++) {
    const begun = await begin();
    const { child, output } = begun.program;
    const isOver = () => child.exitCode !== null || child.signalCode !== null;
    while (!isOver()) {
      if (!(await isAtWork(begun))) {
        await sleep(2);
        continue;
      }
      child.kill('SIGSTOP');
      while (!isOver() && !(await isStopped(child.pid))) await sleep(2);
      if (!isOver() && (await isAtWork(begun))) return begun;
      child.kill('SIGCONT');
    }
    if (child.exitCode !== 0) throw new Error(`it failed: ${output.stdout}${output.stderr}`);
  }
  throw new Error('it was never seen at work');
}

/** Whether a process stands still: its main thread does, says the state after the name (proc(5)). */
async function isStopped(pid: number | undefined): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat.slice(stat.lastIndexOf(')')).startsWith(') T');
}

/** The summary of an import in numbers. */
export function summary({ stdout, stderr }: Outcome): Record<string, number> {
  const found =
    /^Added (?<added>\d+), already there (?<present>\d+), conflicts (?<conflicts>\d+), bad lines (?<bad>\d+), in [\d.]+ s\.\n$/.exec(
      stdout,
    )?.groups;
  if (!found) throw new Error(`no summary: ${stdout}${stderr}`);
  return Object.fromEntries(Object.entries(found).map(([name, text]) => [name, Number(text)]));
}
