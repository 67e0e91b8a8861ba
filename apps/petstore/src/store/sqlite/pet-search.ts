import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Page } from '../contract/page.ts';
import type { PetSearch } from '../contract/pet-store.ts';
import { idRange } from '../id-range.ts';
import type { Source } from './page-reader.ts';

/**
 * Makes a function that reads the animals that meet a filter. It goes through the animals in the order of their ids, and
 * looks at no more than it is told: without an index of names, of which every create would have to keep an entry, nothing
 * else bounds the time of a filter that hardly any animal meets.
 */
export function petSearcher(db: DatabaseSync, source: Source): (search: PetSearch) => Page {
  const prepared = new Map<string, StatementSync>();
  return (search) => {
    const range = idRange(search);
    if (!range) return { json: '[]', next: undefined };
    const { prefix, categories, statuses, limit, maxExamined } = search;
    const shape = `${maxExamined} ${prefix !== ''} ${categories !== undefined} ${statuses !== undefined}`;
    let statement = prepared.get(shape);
    if (!statement) {
      statement = prepareSearch(db, source, search);
      prepared.set(shape, statement);
    }
    const [json, next] = statement.get({
      ...range,
      limit,
      ...(prefix !== '' && { prefix, length: [...prefix].length }),
      ...(categories && { categories: `[${categories.join()}]` }),
      ...(statuses && { statuses: JSON.stringify(statuses) }),
    }) as unknown as [string, bigint | null];
    return { json, next: next ?? undefined };
  };
}

/**
 * A page as JSON, and the id after which the next one starts: the last on the page where another follows that meets the
 * filter, else the one before the first that was not looked at. One statement, so both are of one moment.
 */
function prepareSearch(
  db: DatabaseSync,
  { columns, json }: Source,
  { prefix, categories, statuses, maxExamined }: PetSearch,
): StatementSync {
  const inOrder = `FROM pets WHERE id BETWEEN :first AND :last ORDER BY id`;
  const filter = [
    // Not LIKE, nor GLOB: no character of a prefix stands for others.
    ...(prefix === '' ? [] : ['substr(name, 1, :length) = :prefix']),
    ...(categories ? ['category_id IN (SELECT value FROM json_each(:categories))'] : []),
    ...(statuses ? ['status IN (SELECT value FROM json_each(:statuses))'] : []),
  ].join(' AND ');
  const statement = db.prepare(
    `WITH found AS MATERIALIZED (
       SELECT ${columns} FROM (SELECT ${columns} ${inOrder} LIMIT ${maxExamined})
       WHERE ${filter || 'true'} LIMIT :limit + 1),
     page AS MATERIALIZED (SELECT ${columns} FROM found LIMIT :limit)
     SELECT (SELECT json_group_array(${json}) FROM page),
       CASE WHEN (SELECT count(*) FROM found) > :limit THEN (SELECT max(id) FROM page)
       ELSE (SELECT id ${inOrder} LIMIT 1 OFFSET ${maxExamined}) - 1 END`,
  );
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}
