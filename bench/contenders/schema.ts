/** The table of the contenders that keep one. The service makes its own, which is the same. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);
`;

/** A log beside the file, and a commit that returns when it is on disk: what the service promises. */
export const DURABLE = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

const COLUMNS = 'id, name, category_id AS categoryId, status';

export const SQL = {
  list: `SELECT ${COLUMNS} FROM pets ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${COLUMNS} FROM pets WHERE status = ? ORDER BY id LIMIT ?`,
  get: `SELECT ${COLUMNS} FROM pets WHERE id = ?`,
  create: 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
};
