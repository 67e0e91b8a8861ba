/** The events of a sandbox that are kept, in bytes: the newest. Each commit deletes what is beyond. */
export const MAX_LOG_BYTES = 256 * 1024;

/** The most groups that a commit deletes: more than it adds. */
export const MAX_SWEPT_GROUPS = 20;
