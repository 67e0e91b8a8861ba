import type { DatabaseSync } from 'node:sqlite';
import type { UnwrittenBatch } from '../../report/recorded-request.ts';
import type { ReportStore } from '../contract/report-store.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';

export function sqliteReports(db: DatabaseSync, write: Write): ReportStore {
  const select = db.prepare(
    'SELECT number, request FROM sandbox_requests WHERE sandbox = ? ORDER BY number',
  );
  const selectRun = db.prepare('SELECT run FROM sandbox_challenges WHERE sandbox = ?');
  return {
    async record(batches, bounds) {
      // All at once, so that they are one group of the writer.
      const unwritten: UnwrittenBatch[] = [];
      await Promise.all(
        batches.map(async (batch) => {
          const { sandbox, lost, requests } = batch;
          const texts = requests.map((request) => JSON.stringify(request));
          try {
            await write('recordRequests', sandbox, lost, bounds, texts);
          } catch (error) {
            unwritten.push({ batch, error });
          }
        }),
      );
      return unwritten;
    },
    async requests(sandbox) {
      return translateErrors(() => select.all(sandbox)).map(({ number, request }) => ({
        number: Number(number),
        ...JSON.parse(String(request)),
      }));
    },
    async run(sandbox) {
      const row = translateErrors(() => selectRun.get(sandbox));
      return row && JSON.parse(String(row.run));
    },
    keepRun: (sandbox, run) => write('keepRun', sandbox, JSON.stringify(run)),
  };
}
