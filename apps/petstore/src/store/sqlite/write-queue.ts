import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError, writeQueueFull } from '../store-errors.ts';
import { WriteHealth } from '../write-health.ts';
import {
  encodeGroup,
  isFailure,
  type Outcome,
  type Pending,
  provesWritesSucceed,
  type Write,
} from './command.ts';
import { unavailableElsewhere } from './errors.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

/** The thread's file is beside this one, with the same ending: TypeScript in a checkout, JavaScript in the package. */
const THREAD = new URL(`./writer-thread${extname(import.meta.filename)}`, import.meta.url);

/** The most commands in one transaction, so that no request waits for a very long one. */
const MAX_GROUP = 1_024;

/** A group of this size is a sign of load. Then the next group waits until it is as large, but not longer than this. */
const LOADED_GROUP = 4;
const GATHER_MS = 1;

/** Waits before a writer that died is started again, in milliseconds: the first time, the second, … */
const RESTART_DELAYS_MS = [0, 100, 500, 2_000];

/** A writer that lived this long, in milliseconds, started well: the delays begin anew. */
const GOOD_LIFE_MS = 10_000;

/** The memory for short-lived objects of the thread, in MB: it has few, and would use more if allowed. */
const YOUNG_GENERATION_MB = 4;

/**
 * idle: the thread starts with the first command, since most command lines never write; starting: commands queue up;
 * dead: commands are refused until it is started again; closed: for good.
 */
type State = 'idle' | 'starting' | 'ready' | 'dead' | 'closed';

/** Which states may follow each. `closed` is final, whatever the thread still does. */
const NEXT_STATES: Readonly<Record<State, readonly State[]>> = {
  idle: ['starting', 'closed'],
  starting: ['ready', 'dead', 'closed'],
  ready: ['dead', 'closed'],
  dead: ['starting', 'closed'],
  closed: [],
};

/** What the writer reports besides the results of its commands. */
export interface WriterEvents {
  /** The thread died and will be started again after `restartInMs` milliseconds. */
  onDeath(cause: unknown, restartInMs: number): void;
  /** A group of commands was committed, in this many seconds. */
  onCommit(commands: number, seconds: number): void;
}

/**
 * Gives writes to a thread. Everything that queued up during the last commit becomes the next transaction, so under
 * load many writes share an fsync.
 */
export class WriteQueue {
  readonly health = new WriteHealth();
  /**
   * Commands that may wait or be under way. More are refused: a queue that grows without end only turns an overload
   * into a slow death.
   */
  readonly capacity: number;
  readonly #path: string;
  readonly #events: WriterEvents;
  #queue: Pending[] = [];
  #underWay: Pending[] = [];
  #worker: Worker | undefined;
  #state: State = 'idle';
  #isFlushPlanned = false;
  #lastGroupSize = 0;
  /** The timer while a group gathers. */
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
      // The thread sends a result of the command's kind.
      this.#queue.push({ kind, args, resolve: resolve as Pending['resolve'], reject });
      this.#planFlush();
    });
  };

  /** Waits for the queued commands, then ends the thread. */
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

  /** Changes the state. Returns false, and changes nothing, where the change is not allowed. */
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
        const failure = unavailableElsewhere(message.failure, message.code);
        this.health.failed(failure);
        rejectAll(group, failure);
      } else {
        if (provesWritesSucceed(group)) this.health.succeeded();
        this.#events.onCommit(group.length, message.seconds);
        settle(group, message.outcomes);
      }
      this.#gather();
    }
  }

  /** Starts the next group: now, or when it is as large as the last one, and soon in any case. */
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
   * Whether it is worth waiting for more. Clients that just got a response tend to come back, and a group as large as
   * the last one costs hardly more than a group of three. Without load nothing waits.
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
