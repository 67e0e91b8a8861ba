/**
 * What a request may weigh, as the interface promises it: nobody who runs the service can change it. What
 * they can is in ../limits.ts.
 */

/** Largest request body, in bytes (413 beyond). */
export const MAX_BODY_BYTES = 64 * 1024;

/** Longest request target, in bytes (414 beyond). Targets are ASCII, so characters are bytes. */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Deepest nesting of arrays and objects in a body. A pet needs 1. */
export const MAX_JSON_DEPTH = 32;
