import type { DatabaseSync } from 'node:sqlite';
import type { NewAuditEvent } from '../../audit/audit-event.ts';
import type { SandboxBounds, SandboxOutcome, SandboxRecord } from '../contract/sandbox-rows.ts';
import { MAX_LOG_BYTES, MAX_SWEPT_GROUPS } from '../contract/sandbox-rows.ts';
import { auditRecorder } from './audit.ts';
import type { EventWrites, eventAppender } from './event-writes.ts';

/** The writes of sandboxes, each within the transaction of its group: those of SandboxRows. */
export interface SandboxWrites {
  addSandbox(
    sandbox: SandboxRecord,
    keyHash: Uint8Array,
    bounds: SandboxBounds,
    event: NewAuditEvent | undefined,
  ): SandboxOutcome;
  /** `count` and `text`: the events, as NotedEvents has them. */
  commitSandbox(
    id: string,
    version: number,
    next: number,
    state: Uint8Array,
    count: number,
    text: string,
  ): boolean;
  resetSandbox(id: string): boolean;
  removeSandbox(id: string, event: NewAuditEvent | undefined): boolean;
  /** Times are in milliseconds since 1970. */
  sweepSandboxes(instant: number, forget: number, count: number): number;
  saveSnapshot(
    id: string,
    name: string,
    at: number,
    max: number,
  ): 'saved' | 'too_many' | 'not_found';
  restoreSnapshot(id: string, name: string): 'restored' | 'not_found';
  removeSnapshot(id: string, name: string): 'removed' | 'not_found';
}

export function prepareSandboxWrites(
  db: DatabaseSync,
  appendEvents: ReturnType<typeof eventAppender>,
  { sweepEvents }: EventWrites,
): SandboxWrites {
  const record = auditRecorder(db);
  // The oldest of as many as the maker may have.
  const selectCounted = db.prepare(
    `SELECT created_at AS at FROM sandboxes WHERE made_by = ? AND created_at >= ?
     ORDER BY created_at DESC LIMIT 1 OFFSET ?`,
  );
  const countAll = db.prepare('SELECT count(*) AS n FROM sandboxes WHERE key_hash IS NOT NULL');
  const insert = db.prepare(
    `INSERT INTO sandboxes (id, key_hash, name, made_by, seed, pets, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const commit = db.prepare(
    `UPDATE sandboxes SET state = ?, version = ?
     WHERE id = ? AND version = ? AND key_hash IS NOT NULL`,
  );
  const reset = db.prepare(
    `UPDATE sandboxes SET state = NULL, version = version + 1
     WHERE id = ? AND key_hash IS NOT NULL`,
  );
  const selectExpired = db.prepare(
    `SELECT id FROM sandboxes WHERE key_hash IS NOT NULL AND expires_at <= ?
     ORDER BY expires_at LIMIT ?`,
  );
  const empty = db.prepare(
    `UPDATE sandboxes SET key_hash = NULL, name = '', state = NULL, faults = NULL
     WHERE id = ? AND key_hash IS NOT NULL`,
  );
  const dropCounts = db.prepare('DELETE FROM sandbox_fault_counts WHERE sandbox = ?');
  const dropSnapshots = db.prepare('DELETE FROM sandbox_snapshots WHERE sandbox = ?');
  const dropEvents = db.prepare('DELETE FROM event_groups WHERE store = ?');
  const dropDeliveries = db.prepare(
    'DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE store = ?)',
  );
  const dropWebhooks = db.prepare('DELETE FROM webhooks WHERE store = ?');
  const dropRequests = db.prepare('DELETE FROM sandbox_requests WHERE sandbox = ?');
  const dropChallenge = db.prepare('DELETE FROM sandbox_challenges WHERE sandbox = ?');
  const forgetEmpty = db.prepare(
    `DELETE FROM sandboxes WHERE id IN
       (SELECT id FROM sandboxes WHERE key_hash IS NULL AND created_at < ? LIMIT ?)`,
  );
  const isThere = db.prepare('SELECT 1 FROM sandboxes WHERE id = ? AND key_hash IS NOT NULL');
  const countOthers = db.prepare(
    'SELECT count(*) AS n FROM sandbox_snapshots WHERE sandbox = ? AND name <> ?',
  );
  const save = db.prepare(
    `INSERT OR REPLACE INTO sandbox_snapshots (sandbox, name, created_at, state)
     SELECT id, ?2, ?3, state FROM sandboxes WHERE id = ?1`,
  );
  const restore = db.prepare(
    `UPDATE sandboxes SET version = version + 1, state = kept.state
     FROM (SELECT state FROM sandbox_snapshots WHERE sandbox = ?1 AND name = ?2) AS kept
     WHERE id = ?1 AND key_hash IS NOT NULL`,
  );
  const removeOne = db.prepare('DELETE FROM sandbox_snapshots WHERE sandbox = ? AND name = ?');
  const remove = (id: string): boolean => {
    if (empty.run(id).changes === 0) return false;
    dropSnapshots.run(id);
    dropEvents.run(id);
    dropDeliveries.run(id);
    dropWebhooks.run(id);
    dropCounts.run(id);
    dropRequests.run(id);
    dropChallenge.run(id);
    return true;
  };
  return {
    addSandbox({ id, name, madeBy, seed, pets, createdAt, expiresAt }, keyHash, bounds, event) {
      const { total, ofMaker } = bounds;
      if (ofMaker) {
        const counted = selectCounted.get(madeBy, ofMaker.since.getTime(), ofMaker.count - 1);
        if (counted) return { countedFrom: new Date(Number(counted.at)) };
      }
      if (Number(countAll.get()?.n) >= total) return 'too_many';
      const times = [createdAt.getTime(), expiresAt.getTime()] as const;
      insert.run(id, keyHash, name, madeBy, seed, pets, ...times);
      if (event) record(event);
      return 'added';
    },
    commitSandbox(id, version, next, state, count, text) {
      if (commit.run(state, next, id, version).changes === 0) return false;
      appendEvents(id, { count, text });
      // The log of a sandbox is short: each commit deletes as much as it adds.
      sweepEvents(id, 0, MAX_LOG_BYTES, MAX_SWEPT_GROUPS);
      return true;
    },
    resetSandbox(id) {
      if (reset.run(id).changes === 0) return false;
      dropCounts.run(id);
      return true;
    },
    removeSandbox(id, event) {
      const isRemoved = remove(id);
      if (isRemoved && event) record(event);
      return isRemoved;
    },
    sweepSandboxes(instant, forget, count) {
      const expired = selectExpired.all(instant, count);
      for (const { id } of expired) remove(String(id));
      return expired.length + Number(forgetEmpty.run(forget, count).changes);
    },
    saveSnapshot(id, name, at, max) {
      if (!isThere.get(id)) return 'not_found';
      if (Number(countOthers.get(id, name)?.n) >= max) return 'too_many';
      save.run(id, name, at);
      return 'saved';
    },
    restoreSnapshot: (id, name) => (restore.run(id, name).changes === 1 ? 'restored' : 'not_found'),
    removeSnapshot: (id, name) => (removeOne.run(id, name).changes === 1 ? 'removed' : 'not_found'),
  };
}
