import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import sqlTag, { empty, type Sql } from 'sql-template-tag';
import type { SqlRunner } from '../webhooks/webhook-store.ts';
import { translateErrors } from './errors.ts';
import { quietCommits } from './quiet-commits.ts';
import type { RareWrite } from './rare-writes.ts';

/** Runs statements that both engines share, on this thread. What they write is kept in memory by nobody. */
export function sqliteRunner(db: DatabaseSync, writeRarely: RareWrite): SqlRunner {
  const quietly = quietCommits(db);
  const all = ({ sql, values }: Sql) => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all(...(values as SQLInputValue[]));
  };
  return {
    read: async (statement) => translateErrors(() => all(statement)),
    // Whoever writes has the whole database.
    lock: empty,
    now: () => sqlTag`${BigInt(Date.now())}`,
    write: (statements) => writeRarely(() => quietly(() => statements.map(all))),
  };
}
