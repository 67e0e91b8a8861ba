import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { AcmeAccounts } from '../../../server/src/certificates/account.ts';
import { attemptCertificate } from '../../../server/src/certificates/attempt-certificate.ts';
import type { IssuerDeps } from '../../../server/src/certificates/issuance.ts';
import { askWhenToRenew, startRenewals } from '../../../server/src/certificates/renewal.ts';
import { ensureCertificate } from '../../../server/src/certificates/request-certificate.ts';
import { sealerOf } from '../../../server/src/certificates/sealing.ts';
import type { AcmeConfig, AuthorityConfig } from '../../../server/src/config-acme.ts';
import { saveAccountKey } from '../../../server/src/store/acme-accounts.ts';
import { leaseIssuance } from '../../../server/src/store/issuances.ts';
import { openDatabase } from '../../../server/src/store/open-database.ts';
import { insertProject } from '../../../server/src/store/projects.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import {
  type AuthorityPlan,
  createSimulatedAuthority,
  type Failure,
  type SimulatedAuthority,
} from './simulated-authority.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The issuer looks every two seconds; here, every half an hour of the virtual clock, which is harder. */
const TICK_MS = 30 * MINUTE_MS;

/** How many names a project has. */
const NAMES_OF_PROJECT = 20;

export interface YearPlan {
  readonly databaseUrl: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly days: number;
  readonly names: readonly string[];
  /** How many names are added in a day, until all are there. */
  readonly addedInADay: number;
  readonly authorities: readonly AuthorityPlan[];
  readonly isNameAway: (hostname: string, at: number) => boolean;
  readonly onDay?: (day: Day) => void;
}

/** What happened in a day. */
export interface Day {
  readonly day: number;
  /** Names that have had a certificate. */
  readonly names: number;
  /** Names that wait for their first one. */
  readonly waiting: number;
  /** Certificates by the authorities' places in the order. */
  readonly issued: readonly number[];
  readonly failures: readonly (readonly Failure[])[];
  /** Names without a valid certificate at any of the day's looks, after their first one. */
  readonly without: number;
  /** The least time that a certificate had left, in milliseconds. */
  readonly leastLeftMs: number;
}

export interface Year {
  readonly days: readonly Day[];
  readonly issued: number;
  readonly authorities: readonly SimulatedAuthority[];
}

/**
 * Runs the issuer's own rules (what is due, who is asked, what a failure leads to, which limits hold) with a store, over
 * a virtual clock and authorities without a network.
 */
export async function simulateYear(plan: YearPlan): Promise<Year> {
  let at = plan.start;
  const now = () => at;
  const { db, close } = await openDatabase(plan.databaseUrl, 1);
  try {
    const authorities: SimulatedAuthority[] = [];
    for (const one of plan.authorities) {
      authorities.push(await createSimulatedAuthority(one, { now, isNameAway: plan.isNameAway }));
    }
    await prepare(db);
    const deps = depsOf(db, now, plan);
    const accounts = accountsOf(deps, authorities);
    const days: Day[] = [];
    let issued = 0;
    for (let day = 0; day < plan.days; day++) {
      const failures = authorities.map(() => new Set<Failure>());
      let [without, leastLeftMs] = [0, Number.POSITIVE_INFINITY];
      await addNames(db, plan, day, at);
      const endOfDay = plan.start + (day + 1) * DAY_MS;
      for (; at < endOfDay; at += TICK_MS) {
        for (const [place, authority] of authorities.entries()) {
          const failure = authority.failureNow();
          if (failure) failures[place]?.add(failure);
        }
        await work(deps, accounts);
        const left = (await earliestEnd(db)) - at;
        leastLeftMs = Math.min(leastLeftMs, left);
        if (left <= 0) without = Math.max(without, await countEnded(db, at));
      }
      const certificates = await countIssued(db, plan, endOfDay - DAY_MS);
      issued += certificates.reduce((sum, count) => sum + count, 0);
      const names = await countCertificates(db);
      const entry: Day = {
        ...{ day, names, waiting: await countWaiting(db), issued: certificates },
        ...{ without, leastLeftMs },
        failures: failures.map((set) => [...set]),
      };
      days.push(entry);
      plan.onDay?.(entry);
      await db.deleteFrom('domain_events').execute();
      await db.deleteFrom('notices').execute();
    }
    return { days, issued, authorities };
  } finally {
    await close();
  }
}

/** What the issuer does in one look: renewals that are due, renewal information, and all issuances that are due. */
async function work(deps: IssuerDeps, accounts: AcmeAccounts): Promise<void> {
  const { db, now } = deps;
  const { signal } = new AbortController();
  while (await startRenewals(deps));
  await askWhenToRenew(deps, accounts, signal);
  for (;;) {
    const row = await leaseIssuance(db, 'the simulation', now(), now() + HOUR_MS);
    if (!row) break;
    await attemptCertificate(deps, accounts, 'the simulation', row, signal);
  }
}

function depsOf(db: Db, now: () => number, { authorities }: YearPlan): IssuerDeps {
  const configs = authorities.map(
    ({ directoryUrl, profile }): AuthorityConfig => ({
      ...{ directoryUrl, eab: undefined, profile, caaIdentities: [], ordersPer3Hours: 300 },
      challenges: ['http-01', 'tls-alpn-01'],
    }),
  );
  const acme: AcmeConfig = {
    authorities: configs as unknown as AcmeConfig['authorities'],
    ...{ stagingDirectoryUrl: undefined, caFile: undefined, email: undefined },
  };
  return {
    ...{ db, now, config: { acme }, siteChanged: () => undefined },
    log: pino({ level: 'silent' }),
    sealer: sealerOf(randomBytes(32), 'a simulation'),
  };
}

function accountsOf(
  { db, now }: IssuerDeps,
  authorities: readonly SimulatedAuthority[],
): AcmeAccounts {
  return {
    async at(directoryUrl) {
      const authority = authorities.find(({ plan }) => plan.directoryUrl === directoryUrl);
      if (!authority) throw new Error(`${directoryUrl} is not simulated`);
      await saveAccountKey(db, { directory_url: directoryUrl, sealed_key: '', created_at: now() });
      return authority.client;
    },
    replaceIfClosed: async () => false,
    close: () => undefined,
  };
}

/** The least time left is looked up in every look; the store's safety is of no use here. */
async function prepare(db: Db): Promise<void> {
  await sql`PRAGMA synchronous = OFF`.execute(db);
  await sql`CREATE INDEX IF NOT EXISTS simulation_ends ON certificates (not_after)`.execute(
    db as Db,
  );
}

async function addNames(db: Db, plan: YearPlan, day: number, at: number): Promise<void> {
  const first = day * plan.addedInADay;
  for (const [offset, hostname] of plan.names.slice(first, first + plan.addedInADay).entries()) {
    const place = first + offset;
    const project = `p${Math.floor(place / NAMES_OF_PROJECT)}`;
    await db.transaction().execute(async (trx) => {
      if (place % NAMES_OF_PROJECT === 0) {
        const row = { id: project, slug: project, name: project, plan: 'enterprise' as const };
        const rest = { created_at: at, live_deploy_id: null, last_deploy_number: 0 };
        await insertProject(trx, { ...row, ...rest });
      }
      const id = `dom_${place}`;
      await trx
        .insertInto('domains')
        .values({
          ...{ id, project_id: project, hostname, target_label: id, proof: '', link_secret: id },
          ...{ verified_at: at, holds: 1, created_at: at, created_by_email: 'ann@example.com' },
          hsts_include_subdomains: 0,
        })
        .execute();
      await ensureCertificate(trx, { id, hostname }, at);
    });
  }
}

async function earliestEnd(db: Db): Promise<number> {
  const row = await db
    .selectFrom('certificates')
    .select('not_after')
    .orderBy('not_after')
    .limit(1)
    .executeTakeFirst();
  return row?.not_after ?? Number.POSITIVE_INFINITY;
}

async function countEnded(db: Db, at: number): Promise<number> {
  const { count } = await db
    .selectFrom('certificates')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('not_after', '<=', at)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countCertificates(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('certificates')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countIssued(db: Db, { authorities }: YearPlan, since: number): Promise<number[]> {
  const rows = await db
    .selectFrom('acme_orders')
    .select((select) => ['directory_url', select.fn.countAll<number>().as('count')])
    .where('state', '=', 'issued')
    .where('ended_at', '>=', since)
    .groupBy('directory_url')
    .execute();
  const counts = new Map(rows.map(({ directory_url, count }) => [directory_url, Number(count)]));
  return authorities.map(({ directoryUrl }) => counts.get(directoryUrl) ?? 0);
}

async function countWaiting(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('issuances')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('kind', '=', 'first')
    .executeTakeFirstOrThrow();
  return Number(count);
}
