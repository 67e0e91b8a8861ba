import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely';
import type { AccountTables } from './schema/accounts.ts';
import type { ArtifactTables } from './schema/artifacts.ts';
import type { AuditTables } from './schema/audit.ts';
import type { CertificateTables } from './schema/certificates.ts';
import type { DeployTables } from './schema/deploys.ts';
import type { DomainTables } from './schema/domains.ts';
import type { FactorTables } from './schema/factors.ts';
import type { GroupTables } from './schema/groups.ts';
import type { IdentityTables } from './schema/identities.ts';
import type { NoticeTables } from './schema/notices.ts';
import type { ProjectTables } from './schema/projects.ts';
import type { ReaderTables } from './schema/readers.ts';
import type { RepositoryTables } from './schema/repositories.ts';
import type { SiteAccessTables } from './schema/site-access.ts';

// The tables, in Kysely's types for both databases. Instants are integers, in milliseconds since 1970; booleans are 0
// and 1; JSON is text. So a row reads the same on both.

export interface Database
  extends AccountTables,
    FactorTables,
    IdentityTables,
    GroupTables,
    ProjectTables,
    SiteAccessTables,
    DeployTables,
    ArtifactTables,
    DomainTables,
    CertificateTables,
    RepositoryTables,
    NoticeTables,
    ReaderTables,
    AuditTables {}

export type Engine = 'sqlite' | 'postgres';

/** The database, or a transaction of it. */
export type Db = Kysely<Database>;
/** A transaction. A function with this parameter happens together with the rest of the transaction, or not at all. */
export type Trx = Transaction<Database>;

type Table = keyof Database;
/** A row as it is read, of the table with that name. */
export type Row<T extends Table> = Selectable<Database[T]>;
/** A row to insert. */
export type NewRow<T extends Table> = Insertable<Database[T]>;
/** Columns to change. */
export type RowChange<T extends Table> = Updateable<Database[T]>;
