import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError, writeQueueFull } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import {
  encodeGroup,
  isFailure,
  isRealWrite,
  type Outcome,
  type Pending,
  type Write,
} from './commands.ts';
import { kindOf } from './errors.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

/** Beside this file, and of its kind: TypeScript in a checkout, JavaScript in the package. */
const THREAD = new URL(`./writer-thread${extname(import.meta.filename)}`, import.meta.url);

/** Commands in one transaction at most, so that no one waits for a very long one. */
const MAX_GROUP = 1_024;

/** A group of this size tells of load; then the next one waits for as many, but not longer than this. */
const LOADED_GROUP = 4;
const GATHER_MS = 1;

/** Waits before a writer that died is started again, in milliseconds: the first time, the second, … */
const RESTART_DELAYS_MS = [0, 100, 500, 2_000];

/** A writer that lived this long, in milliseconds, had a good start: the delays begin anew. */
const GOOD_LIFE_MS = 10_000;

/** What short-lived objects of the thread may take, in MB: it has few, and would spread if let. */
const YOUNG_GENERATION_MB = 4;

/**
 * idle: the thread starts with the first command, since most command lines never write;
 * starting: commands queue up; dead: they are refused until it is started again; closed: for good.
 */
type State = 'idle' | 'starting' | 'ready' | 'dead' | 'closed';

/** Which states may follow each. None follows `closed`, whatever the thread still says or does. */
const NEXT_STATES: Readonly<Record<State, readonly State[]>> = {
  idle: ['starting', 'closed'],
  starting: ['ready', 'dead', 'closed'],
  ready: ['dead', 'closed'],
  dead: ['starting', 'closed'],
  closed: [],
};

/** What the writer wants known beyond its answers. */
export interface WriterEvents {
  /** The thread died and will be started again after `restartInMs` milliseconds. */
  onDeath(cause: unknown, restartInMs: number): void;
  /** A group of commands was committed, in so many seconds. */
  onCommit(commands: number, seconds: number): void;
}

/**
 * Gives writes to a thread that commits everything which queued up during the last commit as the
 * next transaction. Under load an fsync is so shared by all who wait for it.
 */
export class GroupCommitWriter {
  readonly health = new WriteHealth();
  /** Commands that may wait or be under way. Beyond it they are refused: a queue that grows without
   * end only turns an overload into a slow death. */
  readonly capacity: number;
  readonly #path: string;
  readonly #events: WriterEvents;
  #queue: Pending[] = [];
  #underWay: Pending[] = [];
  #worker: Worker | undefined;
  #state: State = 'idle';
  #isFlushPlanned = false;
  #lastGroupSize = 0;
  /** Runs while a group gathers. */
  #gathering: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #deaths = 0;
  #onEmpty = () => {};

  constructor(path: string, capacity: number, events: WriterEvents) {
    this.#path = path;
    this.capacity = capacity;
    this.#events = events;
  }

  get length(): number {
    return this.#queue.length + this.#underWay.length;
  }

  get isAlive(): boolean {
    return this.#state !== 'dead' && this.#state !== 'closed';
  }

  /**
   * Resolves when the command is on disk. Rejects with StoreOverloadedError when the queue is full, with
   * StoreUnavailableError when the database cannot work, or when the thread died, in which case the command may have
   * happened; with Error when a constraint refused it.
   */
  readonly run: Write = (kind, ...args) => {
    if (!this.isAlive) return Promise.reject(new StoreUnavailableError('the writer is down'));
    if (this.length >= this.capacity) return Promise.reject(writeQueueFull());
    if (this.#state === 'idle') this.#start();
    return new Promise((resolve, reject) => {
      // The thread answers each command with the value of its kind.
      this.#queue.push({ kind, args, resolve: resolve as Pending['resolve'], reject });
      this.#planFlush();
    });
  };

  /** Lets what is queued finish, then ends the thread. */
  async close(): Promise<void> {
    if (this.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    this.#become('closed');
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies ToWriter);
    await ended;
  }

  /** Every change of state is made here; false, with nothing changed, where there is no such step. */
  #become(next: State): boolean {
    if (!NEXT_STATES[this.#state].includes(next)) return false;
    this.#state = next;
    return true;
  }

  #start(): void {
    if (!this.#become('starting')) return;
    this.#startedAt = Date.now();
    const worker = new Worker(THREAD, {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (message: FromWriter) => this.#receive(message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => this.#onExit(cause ?? new Error(`writer exited with ${code}`)));
  }

  #receive(message: FromWriter): void {
    if (message === 'ready') {
      if (this.#become('ready')) this.#flush();
    } else {
      const group = this.#underWay;
      this.#underWay = [];
      if ('failure' in message) {
        const failure = failureOf(message);
        this.health.failed(failure);
        rejectAll(group, failure);
      } else {
        if (isRealWrite(group)) this.health.succeeded();
        this.#events.onCommit(group.length, message.seconds);
        settle(group, message.outcomes);
      }
      this.#gather();
    }
  }

  /** Starts the next group, now or when it is as large as the last one, and soon in any case. */
  #gather(): void {
    if (this.#queue.length >= this.#lastGroupSize || this.#lastGroupSize < LOADED_GROUP) {
      this.#flush();
    } else {
      this.#gathering = setTimeout(() => this.#flush(), GATHER_MS);
    }
  }

  /** At the end of this turn of the event loop, so that all requests that arrived in it share. */
  #planFlush(): void {
    if (this.#isFlushPlanned || this.#isGathering()) return;
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  /**
   * Whether it is worth to wait for more. Clients that were just answered tend to come back, and a
   * group as large as the last one costs hardly more than one of three. Without load nobody waits.
   */
  #isGathering(): boolean {
    return this.#gathering !== undefined && this.#queue.length < this.#lastGroupSize;
  }

  #flush(): void {
    if (this.#state !== 'ready' || this.#underWay.length > 0) return;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#queue.length === 0) {
      this.#onEmpty();
      return;
    }
    this.#underWay = this.#queue.splice(0, MAX_GROUP);
    this.#lastGroupSize = this.#underWay.length;
    this.#worker?.postMessage(encodeGroup(this.#underWay) satisfies ToWriter);
  }

  #onExit(cause: unknown): void {
    this.#worker = undefined;
    const lost = [...this.#underWay, ...this.#queue];
    this.#underWay = [];
    this.#queue = [];
    if (this.#become('dead')) {
      if (Date.now() - this.#startedAt > GOOD_LIFE_MS) this.#deaths = 0;
      const delay = RESTART_DELAYS_MS[this.#deaths] ?? RESTART_DELAYS_MS.at(-1) ?? 0;
      this.#deaths++;
      this.#events.onDeath(cause, delay);
      setTimeout(() => this.#start(), delay).unref();
    }
    rejectAll(lost, new StoreUnavailableError('the writer died', { cause }));
    this.#onEmpty();
  }
}

/** SQLite's code stands where its own errors have it. */
function failureOf({ failure, code }: { failure: string; code: number | undefined }): Error {
  const cause = Object.assign(new Error(failure), { errcode: code });
  return new StoreUnavailableError(failure, { cause, kind: kindOf(cause) });
}

function settle(group: readonly Pending[], outcomes: readonly Outcome[]): void {
  for (const [at, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined) reject(new Error('the writer gave no outcome'));
    else if (isFailure(outcome)) reject(new Error(outcome.failed));
    else resolve(outcome);
  }
}

function rejectAll(group: readonly Pending[], error: Error): void {
  for (const { reject } of group) reject(error);
}
