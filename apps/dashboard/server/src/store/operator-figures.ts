import { sql } from 'kysely';
import { renewedCertificates } from './certificates.ts';
import { listPlatformCertificates } from './platform-certificates.ts';
import type { Db } from './schema.ts';

/** Jobs that wait, and since when the oldest is due, in milliseconds since 1970; null where none waits. */
export interface Queue {
  readonly length: number;
  readonly oldest: number | null;
}

const FREE = (now: number) => sql`(leased_until IS NULL OR leased_until <= ${now})`;

/** What is due and nobody works on, by queue. Each query reads an index of what is due alone. */
export async function readQueues(db: Db, now: number): Promise<Record<string, Queue>> {
  const free = FREE(now);
  const { rows } = await sql<{ queue: string; length: number; oldest: number | null }>`
    SELECT 'builds' AS queue, count(*) AS length, min(created_at) AS oldest
      FROM deploys WHERE state IN ('queued', 'building') AND ${free}
    UNION ALL SELECT 'dns_checks', count(*), min(next_check_at)
      FROM domain_checks WHERE next_check_at <= ${now} AND ${free}
    UNION ALL SELECT 'certificates', count(*), min(next_attempt_at)
      FROM issuances WHERE next_attempt_at <= ${now} AND ${free}
    UNION ALL SELECT 'webhooks', count(*), min(next_attempt_at)
      FROM notices WHERE next_attempt_at <= ${now} AND webhook_id IS NOT NULL AND ${free}
    UNION ALL SELECT 'emails', count(*), min(next_attempt_at)
      FROM notices WHERE next_attempt_at <= ${now} AND email IS NOT NULL AND ${free}
    UNION ALL SELECT 'rehearsals', count(*), min(requested_at)
      FROM rehearsals WHERE finished_at IS NULL AND ${free}
    UNION ALL SELECT 'repositories', count(*), min(next_check_at)
      FROM repositories WHERE next_check_at <= ${now} AND ${free}
    UNION ALL SELECT 'branches', count(*), min(next_attempt_at)
      FROM repository_branches WHERE next_attempt_at <= ${now} AND ${free}
    UNION ALL SELECT 'commit_statuses', count(*), min(next_attempt_at)
      FROM commit_statuses WHERE next_attempt_at <= ${now} AND ${free}`.execute(db);
  return Object.fromEntries(
    rows.map(({ queue, length, oldest }) => [
      queue,
      { length: Number(length), oldest: oldest === null ? null : Number(oldest) },
    ]),
  );
}

/** Notices that were not delivered yet, those that wait for another try included. */
export async function countWaitingNotices(db: Db): Promise<{ webhook: number; email: number }> {
  const { webhook, email } = await db
    .selectFrom('notices')
    .where('next_attempt_at', 'is not', null)
    .select(({ fn }) => [fn.count('webhook_id').as('webhook'), fn.count('email').as('email')])
    .executeTakeFirstOrThrow();
  return { webhook: Number(webhook), email: Number(email) };
}

export interface IssuanceFigure {
  readonly directoryUrl: string;
  readonly state: 'under_way' | 'retrying' | 'stopped';
  readonly count: number;
}

/** Certificates that are wanted: first attempts, those that failed and are tried again, and those that are not. */
export async function countIssuances(db: Db): Promise<IssuanceFigure[]> {
  const { rows } = await sql<{ directory_url: string; state: string; count: number }>`
    SELECT directory_url, CASE WHEN next_attempt_at IS NULL AND leased_until IS NULL THEN 'stopped'
      WHEN failures > 0 THEN 'retrying' ELSE 'under_way' END AS state, count(*) AS count
    FROM issuances GROUP BY 1, 2`.execute(db);
  return rows.map(({ directory_url, state, count }) => ({
    directoryUrl: directory_url,
    state: state as IssuanceFigure['state'],
    count: Number(count),
  }));
}

/** When the certificates end that are renewed: those of domains, and the installation's own, by their `hostnames`. */
export async function readCertificateEnds(
  db: Db,
  now: number,
  hostnames: readonly string[],
): Promise<number[]> {
  const ofDomains = await renewedCertificates(db, now).select('not_after').execute();
  const own = (await listPlatformCertificates(db)).filter((row) =>
    hostnames.includes(row.hostname),
  );
  return [...ofDomains, ...own].flatMap(({ not_after }) => not_after ?? []);
}
