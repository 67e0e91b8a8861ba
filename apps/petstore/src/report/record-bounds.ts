/** How much is kept of what a sandbox was asked for: so many requests, in so many bytes. */
export interface RecordBounds {
  readonly count: number;
  readonly bytes: number;
}

export const RECORD_BOUNDS: RecordBounds = { count: 5_000, bytes: 2 * 1024 * 1024 };

/** A row up to this size shares its page with others. SQLite's bound is 1,002 bytes, with the keys of the row. */
const MAX_SHARED_BYTES = 950;

const PAGE_BYTES = 4_096;

/**
 * What a request, as JSON, takes on disk, in bytes. SQLite puts a longer one on pages of its own, which it shares with
 * nobody, but for up to 500 bytes of it. PostgreSQL takes less; the bound is the same on both.
 */
export function roomOf(request: string): number {
  const bytes = Buffer.byteLength(request);
  if (bytes <= MAX_SHARED_BYTES) return bytes;
  return 500 + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}
