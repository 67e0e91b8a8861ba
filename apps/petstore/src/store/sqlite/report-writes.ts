import type { DatabaseSync } from 'node:sqlite';

/** The writes of what clients of sandboxes asked for. */
export interface ReportWrites {
  /**
   * Adds requests of a sandbox, each as JSON, under the next numbers but `lost`, and keeps the newest `kept`. A sandbox
   * that is gone gets none.
   */
  recordRequests(sandbox: string, lost: number, kept: number, requests: readonly string[]): 'done';
  /** Keeps the challenge that a sandbox is at, as JSON. Whether there is such a sandbox. */
  keepRun(sandbox: string, run: string): boolean;
}

export function prepareReportWrites(db: DatabaseSync): ReportWrites {
  const selectSandbox = db.prepare('SELECT 1 FROM sandboxes WHERE id = ? AND key_hash IS NOT NULL');
  const selectLast = db.prepare(
    'SELECT max(number) AS last FROM sandbox_requests WHERE sandbox = ?',
  );
  const insert = db.prepare(
    'INSERT INTO sandbox_requests (sandbox, number, request) VALUES (?, ?, ?)',
  );
  const deleteOld = db.prepare('DELETE FROM sandbox_requests WHERE sandbox = ? AND number <= ?');
  const replaceRun = db.prepare(
    `INSERT INTO sandbox_challenges (sandbox, run) SELECT id, :run FROM sandboxes
     WHERE id = :sandbox AND key_hash IS NOT NULL
     ON CONFLICT (sandbox) DO UPDATE SET run = excluded.run`,
  );
  return {
    recordRequests(sandbox, lost, kept, requests) {
      if (!selectSandbox.get(sandbox)) return 'done';
      let number = Number(selectLast.get(sandbox)?.last ?? 0) + lost;
      for (const request of requests) insert.run(sandbox, ++number, request);
      deleteOld.run(sandbox, number - kept);
      return 'done';
    },
    keepRun: (sandbox, run) => replaceRun.run({ sandbox, run }).changes > 0,
  };
}
