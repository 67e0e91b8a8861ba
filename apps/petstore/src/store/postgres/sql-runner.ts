import sql from 'sql-template-tag';
import type { SqlRunner } from '../webhooks/webhook-store.ts';
import type { Clients } from './client.ts';

/** Runs statements that both engines share. */
export function postgresRunner({ reads, writes }: Clients): SqlRunner {
  return {
    lock: sql`FOR UPDATE`,
    now: () => sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    read: (statement) => reads.run((db) => db.rows(statement)),
    write: (statements) =>
      writes.transaction(async (db) => {
        const all = [];
        for (const statement of statements) all.push(await db.rows(statement));
        return all;
      }),
  };
}
