import { SITE_LIMITS, type SiteLimits } from '@petstore/site/site/site-limits.ts';

/** What an upload and its build may take. The operator sets each by the variable beside it. */
export interface DeployLimits {
  /** Bytes of an upload: a document, or an archive as it is packed. `DASHBOARD_MAX_UPLOAD_BYTES` */
  readonly uploadBytes: number;
  /** Bytes of an archive unpacked, with what its format adds. `DASHBOARD_MAX_UNPACKED_BYTES` */
  readonly unpackedBytes: number;
  /** `DASHBOARD_MAX_ARCHIVE_FILES` */
  readonly archiveFiles: number;
  /** `DASHBOARD_MAX_SITE_BYTES`, `DASHBOARD_MAX_SITE_FILES` */
  readonly site: SiteLimits;
  /** `DASHBOARD_BUILD_SECONDS` */
  readonly buildSeconds: number;
  /** Of a build's process, in megabytes of 1,048,576 bytes. `DASHBOARD_BUILD_MEMORY_MB` */
  readonly buildMemory: number;
}

/** The limits where the operator sets none. */
export const DEPLOY_LIMITS: DeployLimits = {
  uploadBytes: 50_000_000,
  unpackedBytes: 200_000_000,
  archiveFiles: 20_000,
  site: SITE_LIMITS,
  buildSeconds: 300,
  buildMemory: 3_072,
};

/** The limits of a build that may have some of its own. */
export const limitsOf = ({
  limits = DEPLOY_LIMITS,
}: {
  readonly limits?: DeployLimits;
}): DeployLimits => limits;
