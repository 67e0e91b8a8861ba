import sql, { empty, raw } from 'sql-template-tag';
import type { Page } from '../contract/page.ts';
import type { PetSearch } from '../contract/pet-store.ts';
import { idRange } from '../id-range.ts';
import type { RowReader } from './client.ts';
import { PET_JSON } from './pet-json.ts';

interface Found {
  /** A JSON array; null where nothing was found. */
  readonly json: string | null;
  readonly next: bigint | null;
}

/**
 * Reads the animals that meet a filter: those that are met first in the order of the ids, of `maxExamined` at most. As in
 * SQLite, there is no index of names: every create would have to keep an entry in it.
 *
 * How many are looked at is written into the SQL, as in page-reader.ts. How many are wanted is not: every connection would
 * keep a statement prepared for each limit, of 100 KB. Only the lower end of the range bounds what is looked at,
 * and what is beyond the upper end does not count: with both in the index's condition the server would take the range for
 * a small one, and sort it.
 */
export async function searchPets(reader: RowReader, search: PetSearch): Promise<Page> {
  const range = idRange(search);
  if (!range) return { json: '[]', next: undefined };
  const { prefix, categories, statuses, limit, maxExamined } = search;
  const count = sql`${limit}::int`;
  const inOrder = sql`FROM pets WHERE id >= ${range.first} ORDER BY id`;
  const found = await reader.row<Found>(sql`
    WITH found AS MATERIALIZED (
      SELECT id, ${raw(PET_JSON)} AS json
      FROM (SELECT id, name, category_id, status ${inOrder} LIMIT ${raw(`${maxExamined}`)}) AS examined
      WHERE id <= ${range.last}
        ${prefix === '' ? empty : sql`AND starts_with(name, ${prefix})`}
        ${categories ? sql`AND category_id = ANY (${`{${categories.join()}}`}::text::bigint[])` : empty}
        ${statuses ? sql`AND status = ANY (${`{${statuses.join()}}`}::text::text[])` : empty}
      ORDER BY id LIMIT ${count} + 1),
    page AS (SELECT id, json FROM found ORDER BY id LIMIT ${count})
    SELECT '[' || (SELECT string_agg(json, ',' ORDER BY id) FROM page) || ']' AS json,
      CASE WHEN (SELECT count(*) FROM found) > ${count} THEN (SELECT max(id) FROM page)
        ELSE (SELECT id - 1 FROM (SELECT id ${inOrder} OFFSET ${raw(`${maxExamined}`)} LIMIT 1) AS unseen
              WHERE id <= ${range.last}) END AS next`);
  return { json: found?.json ?? '[]', next: found?.next ?? undefined };
}
