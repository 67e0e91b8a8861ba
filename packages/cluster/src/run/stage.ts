import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checker, type Measured } from '../checker/checker.ts';
import type { Violation } from '../checker/history.ts';
import type { State } from '../checker/watch.ts';
import { API_URL, type Cluster } from '../cluster.ts';
import type { Applied, Fault } from '../faults/fault.ts';
import type { Ended } from '../machines/machine.ts';

/** How long the cluster may take to be whole again when a fault is gone. */
const WHOLE_LIMIT_MS = 90_000;

/** What a brief fault causes may not show at once: balancers whose HAProxy was away give their address up after that. */
const AFTERMATH_MS = 6_000;

/** One fault as it was seen from outside. */
export interface Trial {
  readonly fault: string;
  readonly title: string;
  /** When it began, in RFC 3339. */
  readonly at: string;
  readonly to: string;
  /** How long its cause lasted. */
  readonly heldMs: number;
  /** From the end of the cause until every machine was well again. */
  readonly wholeAfterMs: number;
  readonly reads: Measured['reads'];
  readonly writes: Measured['writes'];
}

interface Events {
  /** Something that must not happen, in a sentence. */
  failure: [string];
  /** What is being done, in a sentence. */
  news: [string];
  second: [State, Measured];
}

/** A cluster with its checker, on which faults are played. */
export class Stage extends EventEmitter<Events> {
  readonly cluster: Cluster;
  readonly checker: Checker;
  /** The faults that are there now, by id. */
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

  /** The clients begin; resolves when the cluster is whole. */
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

  /** Makes a fault happen. Rejects where the cluster is in no state for it, or it is there already. */
  async apply(fault: Fault): Promise<Applied> {
    if (this.applied.has(fault.id)) throw new Error(`${fault.title}: it does already.`);
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

  /** Plays a fault from a whole cluster to a whole cluster, and gives what clients saw meanwhile. */
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

  /** Resolves when every machine is well, and every request succeeds. A failure, where it takes too long. */
  async untilWhole(): Promise<void> {
    await this.checker
      .until('the cluster was whole again', isWhole, WHOLE_LIMIT_MS)
      .catch((error: Error) =>
        this.#fail(`${error.message} ${JSON.stringify(this.checker.state)}`),
      );
  }

  /** Stops the clients, who compare what they were told with what is there. How many creates were acknowledged. */
  async end(): Promise<number> {
    const { acknowledged } = await this.checker.measure();
    await this.checker.end();
    return acknowledged;
  }

  /** A failure, unless something is so. */
  expect(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#fail(otherwise);
  }

  #onEnded({ machine, service, how }: Ended): void {
    const sentence = `${service} ended on ${machine} ${how}`;
    // The other programs may do as they like; the service's own process may not.
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
