import { sqliteCode } from '@petstore/service/sqlite/result-codes.ts';
import type { GroupWriter } from '../store.ts';
import {
  StoreOverloadedError,
  StoreUnavailableError,
  type UnavailableKind,
  writeQueueFull,
} from '../store-errors.ts';
import { WriteHealth } from '../write-health.ts';
import {
  decodeGroup,
  encodeGroup,
  isFailure,
  type Outcome,
  type Pending,
  provesWritesSucceed,
  type Write,
} from './command.ts';
import { unavailableElsewhere } from './errors.ts';

// Processes that serve one database share one writer, so that a commit carries the writes of all of them. Here the
// other processes hand it their writes.

/** Why the database could not carry out a write, in a form that can be sent. */
interface Unavailable {
  readonly unavailable: string;
  readonly kind: UnavailableKind;
  readonly code: number | undefined;
}

type RemoteOutcome = Outcome | Unavailable;

/** Takes groups of other processes, in the process that has the writer. */
export function writeForOthers(write: Write): GroupWriter {
  return (group) =>
    Promise.all(
      decodeGroup(group).map(({ kind, args }) =>
        write(kind, ...args).catch((error): RemoteOutcome => {
          if (!(error instanceof StoreUnavailableError)) return { failed: error.message };
          const { message: unavailable, kind, cause } = error;
          return { unavailable, kind, code: sqliteCode(cause) };
        }),
      ),
    );
}

/** Sends the writes of this process to the process with the writer, those of one turn of the event loop together. */
export class RemoteWriteQueue {
  readonly health = new WriteHealth();
  readonly isAlive = true;
  /** The capacity of the writer, which counts the commands of all processes and refuses those beyond. */
  readonly capacity: number;
  readonly #send: GroupWriter;
  #queue: Pending[] = [];
  #underWay = 0;
  #onEmpty = () => {};

  constructor(send: GroupWriter, capacity: number) {
    this.#send = send;
    this.capacity = capacity;
  }

  get length(): number {
    return this.#queue.length + this.#underWay;
  }

  /** As WriteQueue has it. */
  readonly run: Write = (kind, ...args) => {
    if (this.length >= this.capacity) return Promise.reject(writeQueueFull());
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush());
      this.#queue.push({ kind, args, resolve: resolve as Pending['resolve'], reject });
    });
  };

  /** Waits for the writes under way. */
  async close(): Promise<void> {
    if (this.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  async #flush(): Promise<void> {
    const group = this.#queue;
    this.#queue = [];
    this.#underWay += group.length;
    let outcomes: readonly RemoteOutcome[];
    try {
      outcomes = (await this.#send(encodeGroup(group))) as readonly RemoteOutcome[];
    } catch (cause) {
      const error = new StoreUnavailableError('the process that writes is gone', { cause });
      this.health.failed(error);
      for (const { reject } of group) reject(error);
      outcomes = [];
    }
    this.#underWay -= group.length;
    for (const [at, outcome] of outcomes.entries()) this.#settle(group[at] as Pending, outcome);
    if (this.length === 0) this.#onEmpty();
  }

  #settle(command: Pending, outcome: RemoteOutcome): void {
    if (typeof outcome === 'object' && 'unavailable' in outcome) {
      const { unavailable, kind, code } = outcome;
      if (kind === 'queue_full') {
        command.reject(new StoreOverloadedError(unavailable));
        return;
      }
      const error = unavailableElsewhere(unavailable, code, kind);
      this.health.failed(error);
      command.reject(error);
    } else if (isFailure(outcome)) {
      command.reject(new Error(outcome.failed));
    } else {
      if (provesWritesSucceed([command])) this.health.succeeded();
      command.resolve(outcome);
    }
  }
}
