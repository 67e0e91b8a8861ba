import type { DatabaseSync } from 'node:sqlite';
import { type RecordBounds, roomOf } from '../../report/record-bounds.ts';

/** The writes of what clients of sandboxes asked for. */
export interface ReportWrites {
  /**
   * Adds requests of a sandbox, each as JSON, under the next numbers but `lost`, and keeps the newest within the bounds.
   * A sandbox that is gone gets none.
   */
  recordRequests(
    sandbox: string,
    lost: number,
    bounds: RecordBounds,
    requests: readonly string[],
  ): 'done';
  /** Keeps the challenge that a sandbox is at, as JSON. Whether there is such a sandbox. */
  keepRun(sandbox: string, run: string): boolean;
}

export function prepareReportWrites(db: DatabaseSync): ReportWrites {
  const selectSandbox = db.prepare('SELECT 1 FROM sandboxes WHERE id = ? AND key_hash IS NOT NULL');
  const selectLast = db.prepare(
    `SELECT number, log_bytes AS logBytes FROM sandbox_requests WHERE sandbox = ?
     ORDER BY number DESC LIMIT 1`,
  );
  const insert = db.prepare(
    'INSERT INTO sandbox_requests (sandbox, number, log_bytes, request) VALUES (?, ?, ?, ?)',
  );
  // Up to the first that is within the bounds. What came before is gone already, so it is found at once.
  const deleteOld = db.prepare(
    `DELETE FROM sandbox_requests WHERE sandbox = ?1 AND number <
       (SELECT number FROM sandbox_requests WHERE sandbox = ?1 AND number > ?2 AND log_bytes > ?3
        ORDER BY number LIMIT 1)`,
  );
  const replaceRun = db.prepare(
    `INSERT INTO sandbox_challenges (sandbox, run) SELECT id, :run FROM sandboxes
     WHERE id = :sandbox AND key_hash IS NOT NULL
     ON CONFLICT (sandbox) DO UPDATE SET run = excluded.run`,
  );
  return {
    recordRequests(sandbox, lost, { count, bytes }, requests) {
      if (!selectSandbox.get(sandbox)) return 'done';
      const last = selectLast.get(sandbox);
      let number = Number(last?.number ?? 0) + lost;
      let logBytes = Number(last?.logBytes ?? 0);
      for (const request of requests) {
        logBytes += roomOf(request);
        insert.run(sandbox, ++number, logBytes, request);
      }
      deleteOld.run(sandbox, number - count, logBytes - bytes);
      return 'done';
    },
    keepRun: (sandbox, run) => replaceRun.run({ sandbox, run }).changes > 0,
  };
}
