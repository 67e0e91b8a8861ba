import type { AccountMail } from './accounts/account-mail.ts';
import type { PasswordCost } from './accounts/passwords.ts';
import type { Addresses } from './addresses.ts';
import type { Sealer } from './certificates/sealing.ts';
import type { Config } from './config.ts';
import type { UploadLimits } from './deploys/receive-upload.ts';
import type { Providers } from './oidc/providers.ts';
import type { JobMetrics } from './operations/job-metrics.ts';
import type { Spool } from './spool.ts';
import type { Db } from './store/schema.ts';

/** The dependencies of the resources. */
export interface Deps {
  readonly config: Config;
  readonly db: Db;
  readonly addresses: () => Addresses;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly passwordCost: PasswordCost;
  /** Makes the edge of this process look up a project's hosts anew. */
  readonly siteChanged: (projectId: string) => void;
  /** Tells the builder of this process that a deploy is queued. */
  readonly deployQueued: () => void;
  /** Tells this process that domains have work: checks, certificates, or notices. */
  readonly domainsChanged: () => void;
  /** Tells this process that repositories have work: checks, fetches, or commit statuses. */
  readonly repositoriesChanged: () => void;
  /** The folder of temporary files. */
  readonly spool: Spool;
  readonly uploadLimits: UploadLimits;
  /** Mails what is for one person alone; undefined: no mail server is configured. */
  readonly accountMail: AccountMail | undefined;
  /** Counts what the jobs do; undefined: nobody asks. */
  readonly metrics?: JobMetrics | undefined;
  /** Seals secrets in the database. */
  readonly sealer: Sealer;
  /** The OpenID providers with which people sign in. */
  readonly providers: Providers;
}
