/** SQLite's primary result codes (sqlite3.h) that mean the state of the database, and not a defect. */
export const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const;

/** The primary result code of an error of node:sqlite, or undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return error instanceof Error && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

const UNAVAILABLE: ReadonlySet<number> = new Set(Object.values(SQLITE));

/** Whether an error means that the database cannot work now: locked, full, damaged, closed. */
export function isUnavailable(error: unknown): boolean {
  const code = sqliteCode(error);
  const isClosed = (error as { code?: unknown }).code === 'ERR_INVALID_STATE';
  return isClosed || (code !== undefined && UNAVAILABLE.has(code));
}
