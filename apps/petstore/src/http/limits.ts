/** The limits of a request that the interface promises. They cannot be configured; those in ../limits.ts can. */

/** Largest request body, in bytes (413 beyond). */
export const MAX_BODY_BYTES = 64 * 1024;

/** Longest request target, in bytes (414 beyond). Targets are ASCII, so characters are bytes. */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Deepest nesting of arrays and objects in a body. A pet needs 1. */
export const MAX_JSON_DEPTH = 32;
