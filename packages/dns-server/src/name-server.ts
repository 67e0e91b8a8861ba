import { Worker } from 'node:worker_threads';
import type { Counts } from './responder.ts';
import type { Rate } from './response-rate.ts';
import type { FromThread, ThreadOptions, ToThread } from './thread-messages.ts';
import { indexZone } from './zone.ts';
import type { Zone } from './zone-record.ts';

/** An authoritative name server of one zone. It knows no other names, and asks nobody. */
export interface NameServer {
  readonly port: number;
  /** Changes what it answers, as soon as its thread has read it. Throws RangeError for what is no zone. */
  setZone(zone: Zone): void;
  /** The queries so far, as of a second ago. */
  counts(): Counts;
  /** Ends once the connections have ended, after a second at most. */
  close(): Promise<void>;
}

export interface NameServerOptions {
  /** Addresses of this machine, one or several; `::` and `0.0.0.0` are all of them. */
  readonly hosts: readonly string[];
  /** For UDP and TCP; 0: one that is free. */
  readonly port: number;
  readonly zone: Zone;
  readonly rate?: Rate;
  /** Told when its thread has ended by itself, which begins again. */
  readonly onCrash?: (error: unknown) => void;
}

/** To one network (/24 or /56) over UDP. Of a real resolver's queries, caches answer most. */
const RATE: Rate = { perSecond: 200, burst: 400 };

/** After a crash, in milliseconds: not in a loop that keeps a processor busy. */
const RESTART_MS = 1_000;

/**
 * Starts a name server, in a thread of its own. Rejects with the system's error, and with the address as its `host`,
 * where it cannot listen. Throws RangeError for what is no zone.
 */
export async function startNameServer({
  rate = RATE,
  onCrash,
  ...options
}: NameServerOptions): Promise<NameServer> {
  let { port, zone } = options;
  let counts: Counts = { queries: 0, limited: 0 };
  let earlier = counts;
  let thread: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  /** The start after a crash that is under way, or the last one. */
  let starting: Promise<void> | undefined;
  let isClosing = false;
  indexZone(zone);

  async function start(): Promise<void> {
    const started = await startThread({ hosts: options.hosts, port, rate, zone });
    if (isClosing) {
      await started.thread.terminate();
      return;
    }
    thread = started.thread;
    port = started.port;
    earlier = counts;
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'counts') counts = sum(earlier, message.counts);
    });
    let failure: unknown;
    thread.on('error', (error) => {
      failure = error;
    });
    thread.once('exit', (code) => {
      thread = undefined;
      if (isClosing) return;
      onCrash?.(failure ?? new Error(`The name server's thread ended with ${code}.`));
      startAgain();
    });
    // Meanwhile the zone may have changed.
    tell(thread, { kind: 'zone', zone });
  }

  function startAgain(): void {
    restart = setTimeout(() => {
      starting = start().catch((error) => {
        if (isClosing) return;
        onCrash?.(error);
        startAgain();
      });
    }, RESTART_MS);
  }

  await start();
  return {
    port,
    counts: () => counts,
    setZone(next) {
      indexZone(next);
      zone = next;
      if (thread) tell(thread, { kind: 'zone', zone });
    },
    async close() {
      isClosing = true;
      clearTimeout(restart);
      await starting;
      if (!thread) return;
      const ended = new Promise((resolve) => thread?.once('exit', resolve));
      tell(thread, { kind: 'close' });
      await ended;
    },
  };
}

const THREAD = new URL('./thread.ts', import.meta.url);

/** Resolves once the thread listens. */
async function startThread(workerData: ThreadOptions) {
  const thread = new Worker(THREAD, { workerData, name: 'name server' });
  return new Promise<{ thread: Worker; port: number }>((resolve, reject) => {
    const ended = (code: number) =>
      reject(new Error(`The name server's thread ended with ${code}.`));
    thread.once('error', reject);
    thread.once('exit', ended);
    thread.once('message', (message: FromThread) => {
      thread.off('error', reject);
      thread.off('exit', ended);
      if (message.kind === 'listening') resolve({ thread, port: message.port });
      else if (message.kind === 'failed') {
        const { message: text, code, host } = message;
        reject(Object.assign(new Error(text), { code, host }));
      }
    });
  });
}

function tell(thread: Worker, message: ToThread): void {
  thread.postMessage(message);
}

function sum(a: Counts, b: Counts): Counts {
  return { queries: a.queries + b.queries, limited: a.limited + b.limited };
}
