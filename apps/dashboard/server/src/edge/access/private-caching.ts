/** Of every response of a private site: nobody but the reader keeps it, and no cache that ignores this mixes readers up. */
export const PRIVATE = 'private, no-store';
export const VARY_BY_READER = ['Authorization', 'Cookie'] as const;
