import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Alone, Checker, type Measured } from '../checker/checker.ts';
import type { Violation } from '../checker/history.ts';
import type { State } from '../checker/watch.ts';
import { API_URL, type Cluster } from '../cluster.ts';
import type { Applied, Fault } from '../faults/fault.ts';
import type { Ended } from '../machines/machine.ts';
import { brokenLimits } from './limits.ts';
import type { Trial } from './trial.ts';

/** How long the cluster may take to recover when a fault is gone. */
const WHOLE_LIMIT_MS = 90_000;

/** How long reads are measured in a healthy cluster, to compare them. */
const BEFORE_MS = 10_000;

/** How soon writes go on when a standby confirms commits again. */
const CONFIRMED_LIMIT_MS = 2_000;

/** The effect of a brief fault may come late: balancers whose HAProxy was away release their address after that. */
const AFTERMATH_MS = 6_000;

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

  /**
   * Plays one fault, from a healthy cluster to a healthy cluster, and returns what clients saw meanwhile. Broken limits
   * are failures.
   */
  async play(fault: Fault, holdMs: number): Promise<Trial> {
    const { checker } = this;
    await checker.measure('cause');
    if (fault.limits.steadyReadsMs) await sleep(BEFORE_MS);
    const before = await checker.measure('cause');
    await checker.measure('trial');
    const at = new Date().toISOString();
    const began = performance.now();
    const { to, reached = [] } = await this.apply(fault);
    await checker.askAlone(reached);
    const connections = fault.isBrief ? 0 : await this.#hold(fault, holdMs);
    const cause = await checker.measure('cause');
    await this.undo(fault);
    const undone = performance.now();
    const during = await checker.askAlone(reached);
    if (fault.limits.steadyReadsMs) await this.#untilConfirmed();
    if (fault.isBrief) await sleep(AFTERMATH_MS);
    await this.untilWhole();
    const after = await checker.askAlone([]);
    const { reads, writes } = await checker.measure('trial');
    const trial = {
      fault: fault.id,
      title: fault.title,
      at,
      to,
      heldMs: Math.round(undone - began),
      wholeAfterMs: Math.round(performance.now() - undone),
      reads,
      writes,
      ...(fault.limits.steadyReadsMs && {
        steady: { before: before.reads, reads: cause.reads, connections },
      }),
      ...(reached.length > 0 && {
        reached: during.map((each, i) => ({ during: each, after: after[i] as Alone })),
      }),
    };
    for (const sentence of brokenLimits(trial, fault.limits)) this.#fail(sentence);
    return trial;
  }

  /**
   * Resolves when every machine is healthy, and every request succeeds. Reports a failure where that takes too long.
   */
  untilWhole(): Promise<void> {
    return this.#until('the cluster was whole again', isWhole, WHOLE_LIMIT_MS);
  }

  async #untilConfirmed(): Promise<void> {
    const isConfirmed = ({ databases }: State) =>
      databases.some(({ isSynchronous }) => isSynchronous);
    await this.#until('a standby confirmed commits again', isConfirmed, WHOLE_LIMIT_MS);
    const isWriting = (_: State, { writes }: Measured) => writes.ok > 0 && writes.unavailable === 0;
    await this.#until(
      'writes went on, which a standby confirms again',
      isWriting,
      CONFIRMED_LIMIT_MS,
    );
  }

  async #until(...what: Parameters<Checker['until']>): Promise<void> {
    await this.checker
      .until(...what)
      .catch((error: Error) =>
        this.#fail(`${error.message} ${JSON.stringify(this.checker.state)}`),
      );
  }

  /**
   * Leaves the cause in place for a while. Returns the most connections that the primary had, where that has a limit.
   */
  async #hold({ limits }: Fault, holdMs: number): Promise<number> {
    const end = performance.now() + holdMs;
    let most = 0;
    while (limits.steadyReadsMs && performance.now() < end - 1_000) {
      most = Math.max(most, await this.cluster.connections());
      await sleep(1_000);
    }
    await sleep(end - performance.now());
    return most;
  }

  /**
   * Stops the clients, which compare their responses with what is stored. Returns how many creates were acknowledged.
   */
  async end(): Promise<number> {
    for (const api of this.cluster.apis) {
      const metrics = await this.cluster.client.run('curl', [
        '-fsS',
        `http://${api.address}:8080/metrics`,
      ]);
      // Without this, nobody would notice that standbys were never read from.
      if (!/^petstore_replica_reads_total\{.*\} [1-9]/m.test(metrics))
        this.#fail(`${api.name} has read nothing from a standby.`);
    }
    const { acknowledged } = await this.checker.measure('trial');
    await this.checker.end();
    return acknowledged;
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
