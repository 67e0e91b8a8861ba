import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type Listening, listenOnBoth } from './listen.ts';
import { createResponder } from './responder.ts';
import type { FromThread, ThreadOptions, ToThread } from './thread-messages.ts';

// The thread of a name server: whatever comes in at its port, the threads of the rest are not busy with it.

/** How often the counts are told, in milliseconds. */
const COUNTS_MS = 1_000;

/** A thread that is this nice leaves the processor to the others while there are too many queries. */
const NICENESS = 10;

const { hosts, port, rate, zone } = workerData as ThreadOptions;
const parent = parentPort;
if (!parent) throw new Error('This is a thread of a name server.');
const tell = (message: FromThread) => parent.postMessage(message);

// On Linux a thread has a priority of its own, and 0 is the thread that calls. Elsewhere it is the whole process.
if (process.platform === 'linux') setPriority(0, NICENESS);

const responder = createResponder({ rate });
responder.setZone(zone);
const listening: Listening[] = [];

let told = { ...responder.counts };
const timer = setInterval(() => {
  const { queries, limited } = responder.counts;
  if (queries === told.queries) return;
  told = { queries, limited };
  tell({ kind: 'counts', counts: told });
}, COUNTS_MS);

parent.on('message', (message: ToThread) => {
  if (message.kind === 'zone') responder.setZone(message.zone);
  else void close();
});

try {
  for (const host of hosts) {
    listening.push(await listenOnBoth(host, listening[0]?.port ?? port, responder));
  }
  tell({ kind: 'listening', port: listening[0]?.port ?? port });
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  tell({ kind: 'failed', code, message, host: hosts[listening.length] ?? '' });
  await close();
}

async function close(): Promise<void> {
  clearInterval(timer);
  parent?.close();
  await Promise.all(listening.map((one) => one.close()));
}
