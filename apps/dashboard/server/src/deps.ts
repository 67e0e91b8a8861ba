import type { PasswordCost } from './accounts/passwords.ts';
import type { Addresses } from './addresses.ts';
import type { Sealer } from './certificates/sealing.ts';
import type { Config } from './config.ts';
import type { Spool } from './spool.ts';
import type { Db } from './store/schema.ts';

/** What the resources work with. */
export interface Deps {
  readonly config: Config;
  readonly db: Db;
  readonly addresses: () => Addresses;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly passwordCost: PasswordCost;
  /** Has the edge of this process look a project's hosts up anew from now on. */
  readonly siteChanged: (projectId: string) => void;
  /** Tells the builder of this process that a deploy waits. */
  readonly deployQueued: () => void;
  /** Tells this process what became of domains: checks are due, certificates wanted, notices wait. */
  readonly domainsChanged: () => void;
  /** Files that are not kept. */
  readonly spool: Spool;
  /** Keeps secrets in the database. */
  readonly sealer: Sealer;
}
