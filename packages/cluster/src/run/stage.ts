import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checker } from '../checker/checker.ts';
import type { Violation } from '../checker/history.ts';
import type { Measured } from '../checker/messages.ts';
import type { State } from '../checker/watch.ts';
import { API_URL, type Cluster } from '../cluster.ts';
import type { Applied, Fault } from '../faults/fault.ts';
import type { Ended } from '../machines/machine.ts';

/** How long the cluster may take to recover when a fault is gone. */
const WHOLE_LIMIT_MS = 90_000;

/** The effect of a brief fault may come late: balancers whose HAProxy was away release their address after that. */
const AFTERMATH_MS = 6_000;

/** One fault, as clients saw it. */
export interface Trial {
  readonly fault: string;
  readonly title: string;
  /** When it began, in RFC 3339. */
  readonly at: string;
  readonly to: string;
  /** How long its cause lasted. */
  readonly heldMs: number;
  /** From the end of the cause until every machine was healthy again. */
  readonly wholeAfterMs: number;
  readonly reads: Measured['reads'];
  readonly writes: Measured['writes'];
}

interface Events {
  /** A violation, as a sentence. */
  failure: [string];
  /** What is being done, as a sentence. */
  news: [string];
  second: [State, Measured];
}

/** A cluster with its checker, on which faults are played. */
export class Stage extends EventEmitter<Events> {
  readonly cluster: Cluster;
  readonly checker: Checker;
  /** The faults that are applied now, by id. */
  readonly applied = new Map<string, Applied>();
  readonly failures: string[] = [];

  constructor(cluster: Cluster) {
    super();
    this.cluster = cluster;
    this.checker = new Checker(cluster.client);
    this.checker.on('violation', ({ kind, what }: Violation) => this.#fail(`${kind}: ${what}`));
    this.checker.on('second', (state, measured) => this.emit('second', state, measured));
    for (const machine of [...cluster.databases, ...cluster.apis, ...cluster.balancers])
      machine.on('ended', (ended) => this.#onEnded(ended));
  }

  /** Starts the clients; resolves when the cluster is healthy. */
  async begin(): Promise<void> {
    const { databases, apis, balancers, apiKey } = this.cluster;
    const addresses = (machines: Cluster['apis']) =>
      machines.map(({ name, address }) => ({ name, address }));
    const machines = {
      databases: addresses(databases),
      apis: addresses(apis),
      balancers: addresses(balancers),
    };
    await this.checker.begin({ apiUrl: API_URL, apiKey, machines });
    await this.untilWhole();
  }

  /** Applies a fault. Rejects where the state of the cluster does not allow it, or where it is applied already. */
  async apply(fault: Fault): Promise<Applied> {
    if (this.applied.has(fault.id))
      throw new Error(`The fault “${fault.title}” is applied already.`);
    const applied = await fault.apply(this);
    if (!fault.isBrief) this.applied.set(fault.id, applied);
    this.emit('news', `${fault.title} (${applied.to})`);
    return applied;
  }

  async undo(fault: Fault): Promise<void> {
    const applied = this.applied.get(fault.id);
    if (!applied) return;
    this.applied.delete(fault.id);
    await applied.undo();
    this.emit('news', `Over: ${fault.title} (${applied.to})`);
  }

  /** Plays one fault, from a healthy cluster to a healthy cluster, and returns what clients saw meanwhile. */
  async play(fault: Fault, holdMs: number): Promise<Trial> {
    await this.checker.measure();
    const at = new Date().toISOString();
    const began = performance.now();
    const { to } = await this.apply(fault);
    if (!fault.isBrief) await sleep(holdMs);
    await this.undo(fault);
    const undone = performance.now();
    if (fault.isBrief) await sleep(AFTERMATH_MS);
    await this.untilWhole();
    const { reads, writes } = await this.checker.measure();
    return {
      fault: fault.id,
      title: fault.title,
      at,
      to,
      heldMs: Math.round(undone - began),
      wholeAfterMs: Math.round(performance.now() - undone),
      reads,
      writes,
    };
  }

  /**
   * Resolves when every machine is healthy, and every request succeeds. Reports a failure where that takes too long.
   */
  async untilWhole(): Promise<void> {
    await this.checker
      .until('the cluster was whole again', isWhole, WHOLE_LIMIT_MS)
      .catch((error: Error) =>
        this.#fail(`${error.message} ${JSON.stringify(this.checker.state)}`),
      );
  }

  /**
   * Stops the clients, which compare their responses with what is stored. Returns how many creates were acknowledged.
   */
  async end(): Promise<number> {
    const { acknowledged } = await this.checker.measure();
    await this.checker.end();
    return acknowledged;
  }

  /** Reports a failure, unless a condition holds. */
  expect(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#fail(otherwise);
  }

  #onEnded({ machine, service, how }: Ended): void {
    const sentence = `${service} ended on ${machine} ${how}`;
    // Other programs may end on their own; the process of the service must not.
    if (service === 'petstore') this.#fail(sentence);
    else this.emit('news', sentence);
  }

  #fail(sentence: string): void {
    this.failures.push(sentence);
    this.emit('failure', sentence);
  }
}

function isWhole({ databases, apis, balancers }: State, { reads, writes }: Measured): boolean {
  const count = (role: string) =>
    databases.filter((each) => each.role === role && each.state === 'running').length;
  return (
    count('primary') === 1 &&
    count('replica') === databases.length - 1 &&
    databases.some(({ isSynchronous }) => isSynchronous) &&
    apis.every((each) => each.reads && each.writes) &&
    balancers.every(({ works }) => works) &&
    reads.ok > 0 &&
    writes.ok > 0 &&
    reads.unavailable + writes.unavailable === 0
  );
}
