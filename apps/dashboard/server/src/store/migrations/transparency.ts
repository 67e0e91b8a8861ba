import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { tablesOf } from './tables.ts';

/**
 * Certificate Transparency logs that are followed, what was found there, and the keys that certificates were asked for
 * with.
 */
export async function transparency(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  await schema
    .createTable('ct_logs')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('position', 'text')
    .addColumn('next_read_at', 'bigint', (c) => c.notNull())
    .addColumn('read_at', 'bigint')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
  await schema
    .createTable('ct_certificates')
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('claim', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ct_certificates_pkey', ['fingerprint', 'claim'])
    .execute();
  await index('ct_certificates', 'claim', 'at');
  await index('ct_certificates', 'at');
  // Refers to nothing: a certificate is ours even when its domain is deleted.
  await schema
    .createTable('certificate_keys')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await index('certificate_keys', 'at');
}
