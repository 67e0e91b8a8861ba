import { parentPort, workerData } from 'node:worker_threads';
import { SQLITE, sqliteCode } from '@petstore/service/sqlite/result-codes.ts';
import { decodeGroup, type GroupMessage, type Outcome } from './command.ts';
import { fileWatch } from './file-watch.ts';
import { groupCommit } from './group-commit.ts';
import { connectToWrite } from './open.ts';

// The thread that writes: it takes groups of commands and acknowledges each when it is on disk. It alone
// waits for the disk; the event loop of the service never does.

/** A group of commands, or the request to end the thread. */
export type ToWriter = GroupMessage | 'close';

/** Sent once at the start, then once for each group, in order. */
export type FromWriter =
  | 'ready'
  | { readonly outcomes: readonly Outcome[]; readonly seconds: number }
  /** None of the group happened. */
  | { readonly failure: string; readonly code: number | undefined };

const port = parentPort;
if (!port) throw new Error('writer-thread.ts runs as a worker');
const say = (message: FromWriter) => port.postMessage(message);

const path = String(workerData);
const db = connectToWrite(path);
const damageToFiles = fileWatch(path, db);
const commit = groupCommit(db);

port.on('message', (message: ToWriter) => {
  if (message === 'close') {
    db.close();
    port.close();
    return;
  }
  try {
    const damage = damageToFiles();
    if (damage) {
      say({ failure: `${path} was ${damage}`, code: SQLITE.CANTOPEN });
      return;
    }
    const startedAt = performance.now();
    const outcomes = commit(decodeGroup(message));
    say({ outcomes, seconds: (performance.now() - startedAt) / 1_000 });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    say({ failure, code: sqliteCode(error) });
  }
});

say('ready');
