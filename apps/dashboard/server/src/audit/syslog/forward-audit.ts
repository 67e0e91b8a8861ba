import { hostname } from 'node:os';
import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../../deps.ts';
import { type JobRunner, startJobRunner } from '../../jobs/job-runner.ts';
import { underLease, workerName } from '../../jobs/lease.ts';
import {
  holdForwarding,
  leaseForwarding,
  listUnforwarded,
  markForwarded,
  releaseForwarding,
} from '../../store/audit-forwarding.ts';
import { trustedRoots } from '../../trusted-roots.ts';
import { presentEntry } from '../present-entry.ts';
import { syslogMessage } from './syslog-message.ts';
import { sendSyslog } from './syslog-transport.ts';

/** Longer than a batch takes that is not given up. */
const LEASE_MS = 60_000;
const RENEW_LEASE_MS = 20_000;

/** How many entries one connection carries. */
const BATCH = 200;

/** The waits after failures in a row, in milliseconds; the last one from then on. */
const RETRIES_MS = [1_000, 2_000, 5_000, 15_000, 60_000];

interface ForwardDeps extends Pick<Deps, 'db' | 'now' | 'config'> {
  readonly log: Log;
}

/**
 * Sends the audit log to the receiver of AUDIT_SYSLOG_URL for as long as the process lives, each entry at least once and
 * in order: an entry counts as sent when the receiver has read it, which the database remembers. One process sends at a
 * time. While nobody receives, entries wait. undefined where no receiver is set. Throws UserError where its roots cannot
 * be read.
 */
export function startForwardingAudit(
  { db, now, config, log }: ForwardDeps,
  { retriesMs = RETRIES_MS }: { retriesMs?: readonly number[] } = {},
): JobRunner | undefined {
  const { auditSyslog } = config;
  if (!auditSyslog) return undefined;
  const roots = trustedRoots('AUDIT_SYSLOG_CA_FILE', auditSyslog.caFile);
  const receiver = `${auditSyslog.transport}://${auditSyslog.host}:${auditSyslog.port}`;
  const worker = workerName();
  const host = hostname();
  let failures = 0;
  let nextTryAt = 0;

  const send = async (signal: AbortSignal) => {
    const rows = await listUnforwarded(db, BATCH);
    if (rows.length === 0) return;
    try {
      const messages = rows.map((row) => syslogMessage(presentEntry(row), host));
      await sendSyslog(auditSyslog, messages, { roots, signal });
    } catch (error) {
      if (signal.aborted) return;
      nextTryAt = performance.now() + (retriesMs[Math.min(failures, retriesMs.length - 1)] ?? 0);
      // Told once, until it is reached again.
      if (failures === 0)
        log.error({ err: error, receiver }, 'the audit log cannot be sent; its entries wait');
      failures += 1;
      return;
    }
    if (failures > 0) log.info({ receiver }, 'the audit log is sent again');
    failures = 0;
    await markForwarded(db, rows, now());
  };

  return startJobRunner({
    async take() {
      if (performance.now() < nextTryAt) return undefined;
      const [first] = await listUnforwarded(db, 1);
      if (!first) return undefined;
      if (!(await leaseForwarding(db, worker, now(), now() + LEASE_MS))) return undefined;
      const renew = () => holdForwarding(db, worker, now() + LEASE_MS);
      return async (stop) => {
        try {
          await underLease(renew, RENEW_LEASE_MS, stop, send);
        } finally {
          await releaseForwarding(db, worker);
        }
      };
    },
    limit: 1,
    log,
    failureMessage: 'the audit log could not be read to be sent',
  });
}
