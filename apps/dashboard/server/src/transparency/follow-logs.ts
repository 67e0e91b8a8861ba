import { statSync } from 'node:fs';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { startJobRunner } from '../jobs/job-runner.ts';
import { underLease, workerName } from '../jobs/lease.ts';
import {
  type CtLogRow,
  changeLog,
  ensureLogs,
  leaseLog,
  listVerifiedNames,
  stateOfVerifiedNames,
} from '../store/ct-logs.ts';
import { wildcardOf } from '../zone/zone-records.ts';
import { BadCertificateError, namesOf } from './certificate-names.ts';
import { followLog, type LogPosition, SplitViewError } from './follow-log.ts';
import { LogResponseError } from './log-client.ts';
import type { LogEntry } from './log-entry.ts';
import { type CtLog, readLogList } from './log-list.ts';
import { readPosition, writePosition } from './log-position.ts';
import { openLog } from './open-log.ts';
import { type TellDeps, tellOfCertificate } from './tell-owners.ts';
import { WatchedNames } from './watched-names.ts';

const LEASE_MS = 60_000;
const RENEW_LEASE_MS = 20_000;

/** How often a log is asked for more, in milliseconds. */
const LOOK_EVERY_MS = 30_000;

/** How often the file of logs is looked at, in milliseconds. */
const REFRESH_MS = 60_000;

/** How many logs are read at the same time. */
const AT_ONCE = 4;

/** The waits after failures, in milliseconds; the last one from then on. */
const RETRIES_MS = [1, 5, 15, 60].map((minutes) => minutes * 60_000);

/** The longest that a log may have it wait by Retry-After, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export interface FollowLogsDeps extends Pick<Deps, 'db' | 'now' | 'config' | 'domainsChanged'> {
  readonly log: Log;
}

/**
 * Reads the logs of CT_LOG_LIST for as long as the process lives, and tells owners of certificates for their names that
 * were not asked for here. undefined where no list is set. Throws UserError where it cannot be read.
 */
export function startFollowingLogs(
  deps: FollowLogsDeps,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): { stop(): Promise<void> } | undefined {
  const { ctLogList: file } = deps.config;
  if (file === undefined) return undefined;
  const { db, now, log } = deps;
  const logs = keepLogList(file, deps);
  const names = keepNames(deps);
  let ensured: readonly CtLog[] = [];
  return startJobRunner({
    async take() {
      const current = logs().filter(({ endsAt }) => endsAt === undefined || endsAt > now());
      const ids = current.map(({ id }) => id);
      if (ids.length === 0) return undefined;
      if (current.some((one) => !ensured.includes(one))) await ensureLogs(db, ids, now());
      ensured = current;
      const worker = workerName();
      const row = await leaseLog(db, ids, { worker, now: now(), until: now() + LEASE_MS });
      const source = current.find(({ id }) => id === row?.id);
      if (!row || !source) return undefined;
      const renew = () => changeLog(db, row.id, worker, { leased_until: now() + LEASE_MS });
      return (stop) =>
        underLease(renew, RENEW_LEASE_MS, stop, async (signal) => {
          const watched = await names();
          const end = await look(deps, { source, row, watched, worker, signal }, lookEveryMs);
          await changeLog(db, row.id, worker, { ...end, leased_by: null, leased_until: null });
        });
    },
    limit: AT_ONCE,
    log,
    failureMessage: 'a CT log could not be worked on',
  });
}

interface Look {
  readonly source: CtLog;
  readonly row: CtLogRow;
  readonly watched: WatchedNames;
  readonly worker: string;
  readonly signal: AbortSignal;
}

/** Reads a log to its end, and returns what is stored of the look. Rejects where the store is unavailable. */
async function look(
  deps: FollowLogsDeps,
  { source, row, watched, worker, signal }: Look,
  lookEveryMs: number,
): Promise<Partial<CtLogRow>> {
  const { db, now, log, config } = deps;
  const { id, failures } = row;
  try {
    await followLog({
      ...{ log: source, now, signal },
      reader: openLog(source, { email: config.acme.email, signal }),
      position: row.position === null ? undefined : readPosition(row.position),
      handle: (entries) => tellOfEntries(deps, source, entries, watched),
      save: (position: LogPosition) =>
        changeLog(db, id, worker, { position: writePosition(position) }),
    });
    const readAt = signal.aborted ? row.read_at : now();
    const nextReadAt = now() + (signal.aborted ? 0 : lookEveryMs);
    return { read_at: readAt, next_read_at: nextReadAt, failures: 0, problem: null };
  } catch (error) {
    if (signal.aborted) return { next_read_at: now() };
    if (!isOfLog(error)) throw error;
    const [problem, retryAfterMs = 0] =
      error instanceof LogResponseError ? [error.message, error.retryAfterMs] : [error.message];
    const bindings = { err: error, log: source.description, url: source.url };
    if (error instanceof SplitViewError)
      log.error(
        { ...bindings, heads: error.heads },
        'A CT LOG SHOWS A SPLIT VIEW: its signed tree heads contradict each other',
      );
    else if (problem !== row.problem) log.warn(bindings, 'a CT log cannot be read');
    const wait = RETRIES_MS[Math.min(failures, RETRIES_MS.length - 1)] ?? lookEveryMs;
    const next = now() + Math.max(wait, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
    return { next_read_at: next, failures: failures + 1, problem };
  }
}

/** The errors of a log, apart from those of the store. */
function isOfLog(error: unknown): error is Error {
  const names = ['LogResponseError', 'BadTreeHeadError', 'BadEntryError', 'SplitViewError'];
  return error instanceof Error && names.includes(error.name);
}

async function tellOfEntries(
  deps: FollowLogsDeps & TellDeps,
  source: CtLog,
  entries: readonly LogEntry[],
  watched: WatchedNames,
): Promise<void> {
  let isAnyTold = false;
  for (const entry of entries) {
    try {
      const matches = watched.matches(namesOf(entry));
      if (matches.length === 0) continue;
      isAnyTold = true;
      await tellOfCertificate(deps, source, entry, matches);
    } catch (error) {
      if (!(error instanceof BadCertificateError)) throw error;
      const { index } = entry;
      deps.log.info({ err: error, log: source.description, index }, 'a certificate is no DER');
    }
  }
  if (isAnyTold) deps.domainsChanged();
}

/** The list of a file, read again when the file changes. A list that cannot be read any more leaves the one before. */
function keepLogList(file: string, { now, log }: FollowLogsDeps): () => readonly CtLog[] {
  let logs = readLogList(file);
  let changedAt = modifiedAt(file);
  let lookedAt = now();
  return () => {
    if (now() - lookedAt < REFRESH_MS) return logs;
    lookedAt = now();
    const modified = modifiedAt(file);
    if (modified === changedAt) return logs;
    changedAt = modified;
    try {
      logs = readLogList(file);
    } catch (error) {
      log.warn({ err: error }, 'the list of CT logs stays as it was');
    }
    return logs;
  };
}

function modifiedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/** The names of all verified domains and of the platform itself, read again when they have changed. */
function keepNames({ db, config }: FollowLogsDeps): () => Promise<WatchedNames> {
  const { platformHost, publicUrl, dnsZone, domain } = config;
  const own = [platformHost, wildcardOf(platformHost), ...(dnsZone ? [dnsZone.name] : [])];
  if (domain?.petstore) own.push(domain.petstore.name);
  if (publicUrl !== undefined) own.push(new URL(publicUrl).hostname);
  let kept: { readonly state: string; readonly names: WatchedNames } | undefined;
  return async () => {
    const state = await stateOfVerifiedNames(db);
    if (kept?.state !== state)
      kept = { state, names: new WatchedNames([...own, ...(await listVerifiedNames(db))]) };
    return kept.names;
  };
}
