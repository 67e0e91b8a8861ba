import type { Log } from '@petstore/service/log.ts';
import type { Counter, Family, Metrics } from '@petstore/service/metrics/instruments.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import sql, { type Sql } from 'sql-template-tag';
import type { Clients, RowReader } from '../client.ts';
import { PrimaryPosition } from './primary-position.ts';
import { REASONS, type Reason, Replica, type ReplicaError, systemId } from './replica.ts';

/** Waits until a replica that was set aside is tried again, in milliseconds, by how often that happened of late. */
const PROBE_DELAYS_MS = [100, 200, 400, 800, 1_600, 3_200, 5_000];

/** How long a replica must work until its setbacks are forgotten, in milliseconds. */
const SETTLED_MS = 10_000;

/** A replica, and whether it is used. */
interface Member {
  readonly replica: Replica;
  readonly reads: Counter;
  isUsed: boolean;
  /** How often it was set aside of late. */
  setbacks: number;
  /** The reasons that the log has already. */
  readonly told: Set<Reason>;
  /** The timer of the next probe, or of the end of a trial. */
  timer: NodeJS.Timeout | undefined;
}

interface Options {
  /** Connections to each replica, at most. */
  readonly size: number;
  readonly log: Log | undefined;
  readonly metrics: Metrics;
}

/**
 * Reads from the replica with the fewest reads under way, or from the primary where no replica can show what the
 * primary would. Reads are linearizable either way: docs/decisions/storage.md.
 */
export class ReplicaReads implements RowReader {
  readonly #primary: Clients['reads'];
  readonly #position: PrimaryPosition;
  readonly #log: Log | undefined;
  readonly #members: readonly Member[];
  readonly #fallbacks: Family<Counter>;
  #turn = 0;
  #isClosed = false;

  constructor(
    addresses: readonly PostgresAddress[],
    clients: Clients,
    { size, log, metrics }: Options,
  ) {
    this.#primary = clients.reads;
    this.#position = new PrimaryPosition(clients);
    this.#log = log;
    const name = 'petstore_replica';
    const reads = metrics.counter(`${name}_reads_total`, 'Reads from a replica.');
    this.#fallbacks = metrics.counter(
      `${name}_fallbacks_total`,
      'Reads, and tries, that a replica did not do.',
    );
    this.#members = addresses.map((address) => {
      const replica = new Replica(address, size, this.#position);
      const labels = { replica: replica.name };
      for (const reason of REASONS) this.#fallbacks.with({ ...labels, reason });
      const member: Member = {
        replica,
        reads: reads.with(labels),
        isUsed: false,
        setbacks: 0,
        told: new Set(),
        timer: undefined,
      };
      metrics.gauge(
        `${name}_used`,
        '0 while it is left aside.',
        () => +member.isUsed,
        labels,
        'min',
      );
      metrics.gauge(
        `${name}_lag_bytes`,
        'What it lacked of the log.',
        () => replica.lag,
        labels,
        'max',
      );
      return member;
    });
  }

  /** Resolves when each replica was tried once. Throws UserError for one that is of another cluster. */
  async start(): Promise<void> {
    const expected = await this.#primary.run(systemId);
    await Promise.all(
      this.#members.map(async (member) => {
        const { replica } = member;
        const found = await replica.systemId().catch(() => expected);
        if (found !== expected) {
          throw new UserError(
            `${replica.name} in PETSTORE_DATABASE_REPLICA_URL belongs to another cluster than the database in PETSTORE_DATABASE_URL. Name standbys of that database.`,
          );
        }
        await this.#probe(member);
      }),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#members) clearTimeout(timer);
    await Promise.all(this.#members.map(({ replica }) => replica.close()));
  }

  async row<Row>(statement: Sql): Promise<Row | undefined> {
    if (!this.#members.some(({ isUsed }) => isUsed)) return this.#primary.row(statement);
    const position = await this.#position.next();
    const member = position && this.#idlest();
    if (!member) return this.#primary.row(statement);
    try {
      const row = await member.replica.row<Row>(statement, position);
      member.reads.add();
      return row;
    } catch (error) {
      this.#note(member, error as ReplicaError);
      return this.#primary.row(statement);
    }
  }

  /** Among equally idle replicas, each in turn. */
  #idlest(): Member | undefined {
    let idlest: Member | undefined;
    this.#turn++;
    for (let at = 0; at < this.#members.length; at++) {
      const member = this.#members[(this.#turn + at) % this.#members.length] as Member;
      if (!member.isUsed) continue;
      if (!idlest || member.replica.underWay < idlest.replica.underWay) idlest = member;
    }
    return idlest;
  }

  #note(member: Member, error: ReplicaError): void {
    this.#fallbacks.with({ replica: member.replica.name, reason: error.reason }).add();
    // Of several reads under way together, one failure counts.
    if (member.isUsed && error.reason !== 'busy') this.#leaveAside(member, error);
  }

  #leaveAside(member: Member, error: ReplicaError): void {
    if (this.#isClosed) return;
    const { replica, told } = member;
    member.isUsed = false;
    clearTimeout(member.timer);
    if (!told.has(error.reason)) {
      told.add(error.reason);
      const { message, reason, cause } = error;
      this.#log?.warn(
        { replica: replica.name, reason, ...(cause ? { err: cause } : {}) },
        `a replica is not read from until a probe succeeds: ${message}`,
      );
    }
    const delay = PROBE_DELAYS_MS[member.setbacks] ?? PROBE_DELAYS_MS.at(-1);
    member.setbacks++;
    member.timer = setTimeout(() => void this.#probe(member), delay).unref();
  }

  /** A read to probe a replica. Never rejects. */
  async #probe(member: Member): Promise<void> {
    try {
      const position = await this.#position.next().catch(() => undefined);
      if (!position) {
        // Without a position of the primary, the replica cannot be judged.
        if (!this.#isClosed) {
          member.timer = setTimeout(() => void this.#probe(member), PROBE_DELAYS_MS[0]).unref();
        }
        return;
      }
      await member.replica.row(sql`SELECT 1 AS one`, position);
      if (this.#isClosed) return;
      member.isUsed = true;
      member.timer = setTimeout(() => this.#settle(member), SETTLED_MS).unref();
    } catch (error) {
      this.#note(member, error as ReplicaError);
      this.#leaveAside(member, error as ReplicaError);
    }
  }

  #settle(member: Member): void {
    member.setbacks = 0;
    if (member.told.size === 0) return;
    member.told.clear();
    this.#log?.info({ replica: member.replica.name }, 'a replica is of use again');
  }
}
