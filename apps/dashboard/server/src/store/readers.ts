import { sql } from 'kysely';
import {
  COUNT_KINDS,
  type CountKind,
  DAY_MS,
  DETAIL,
  type HourCounts,
  MOST_NAMES,
  OTHERS,
  type ProjectCounts,
} from '../readers/counted.ts';
import { lockProjects } from './projects.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

type CountRow = NewRow<'reader_counts'>;
export type SentenceRow = Row<'reader_sentences'>;
type Span = Row<'reader_counts'>['span'];

/** Rows of one statement. */
const MAX_ROWS = 200;

/** Sentences of a project: those of one day, and all. */
const MAX_DAY_SENTENCES = 50;
const MAX_PROJECT_SENTENCES = 1_000;

/** How long counts by hour and by day are kept, in milliseconds. Days become months when their whole month is older. */
const KEPT_HOURS_MS = 3 * DAY_MS;
const KEPT_DAYS_MS = 92 * DAY_MS;

/** Months, and what readers wrote: the limit of CNIL for figures of an audience, and half a year. */
const KEPT_MONTHS = 25;
export const KEPT_SENTENCES_MS = 180 * DAY_MS;

/** Months of projects that one run of the maintenance sums up. */
const MAX_SUMMED = 200;

export const dayOf = (at: number): number => at - (at % DAY_MS);

/** The start of a month by UTC; `later`: so many months after it. */
export function monthOf(at: number, later = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}

/**
 * Adds what an edge counted in an hour to what it and others know of it: all of it, or nothing where it rejects. Projects
 * that are gone are left out.
 */
export async function addReaders(db: Db, { hour, projects }: HourCounts): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // In the order of all locks, so that edges never wait for each other in a circle.
    for (const { id } of await lockProjects(trx, [...projects.keys()])) {
      const counts = projects.get(id);
      if (counts) await addProject(trx, id, hour, counts);
    }
  });
}

async function addProject(
  trx: Trx,
  projectId: string,
  hour: number,
  { counts, sentences }: ProjectCounts,
): Promise<void> {
  const day = dayOf(hour);
  const rows: CountRow[] = [];
  for (const [kind, names] of counts) {
    let sum = 0;
    for (const [key, count] of names) {
      const [name = '', detail = ''] = key.split(DETAIL, 2);
      rows.push({ project_id: projectId, span: 'day', start: day, kind, name, detail, count });
      sum += count;
    }
    if (kind === 'view' || kind === 'agent')
      rows.push({
        ...{ project_id: projectId, span: 'hour', start: hour, kind },
        ...{ name: OTHERS, detail: '', count: sum },
      });
  }
  await addRows(trx, rows);
  for (const { kind, names } of await countNames(trx, projectId, 'day', day))
    if (names > 2 * MOST_NAMES[kind])
      await keepMost(trx, { projectId, span: 'day', start: day, kind });
  if (sentences.length > 0) await addSentences(trx, projectId, day, sentences);
}

async function addRows(trx: Trx, rows: readonly CountRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await trx
      .insertInto('reader_counts')
      .values(rows.slice(at, at + MAX_ROWS))
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'span', 'start', 'kind', 'name', 'detail'])
          .doUpdateSet({ count: sql`reader_counts.count + excluded.count` }),
      )
      .execute();
}

/** How many names of each kind are kept of a day or a month. */
async function countNames(trx: Trx, projectId: string, span: Span, start: number) {
  const rows = await trx
    .selectFrom('reader_counts')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('names')])
    .where('project_id', '=', projectId)
    .where('span', '=', span)
    .where('start', '=', start)
    .groupBy('kind')
    .execute();
  return rows.map(({ kind, names }) => ({ kind: kind as CountKind, names: Number(names) }));
}

interface Counted {
  readonly projectId: string;
  readonly span: Span;
  readonly start: number;
  readonly kind: CountKind;
}

/**
 * Keeps the most frequent names, of equally frequent ones any, and adds all others up: were it their order, whoever
 * invents names that come first would keep out all that come once at a time.
 */
async function keepMost(trx: Trx, { projectId, span, start, kind }: Counted): Promise<void> {
  const named = sql`FROM reader_counts WHERE project_id = ${projectId} AND span = ${span}
    AND start = ${start} AND kind = ${kind} AND name <> ${OTHERS}`;
  const { rows } = await sql<{ detail: string; count: number }>`DELETE ${named}
    AND (name, detail) NOT IN (SELECT name, detail ${named} ORDER BY count DESC, random()
      LIMIT ${sql.lit(MOST_NAMES[kind])})
    RETURNING detail, count`.execute(trx);
  const sums = new Map<string, number>();
  for (const { detail, count } of rows) {
    // What led to missing paths are many; other details are few, and stay with the others.
    const kept = kind === 'missing' ? '' : detail;
    sums.set(kept, (sums.get(kept) ?? 0) + Number(count));
  }
  const key = { project_id: projectId, span, start, kind, name: OTHERS };
  await addRows(
    trx,
    [...sums].map(([detail, count]) => ({ ...key, detail, count })),
  );
}

async function addSentences(
  trx: Trx,
  projectId: string,
  day: number,
  sentences: ProjectCounts['sentences'],
): Promise<void> {
  const known = await trx
    .selectFrom('reader_sentences')
    .select(['page', 'text'])
    .where('project_id', '=', projectId)
    .where('day', '=', day)
    .execute();
  for (const { page, isHelpful, text } of sentences) {
    // Whoever sends one again says nothing new.
    if (known.length >= MAX_DAY_SENTENCES) break;
    if (known.some((one) => one.page === page && one.text === text)) continue;
    known.push({ page, text });
    await trx
      .insertInto('reader_sentences')
      .values({ project_id: projectId, day, page, helpful: isHelpful ? 1 : 0, text })
      .execute();
  }
  const oldest = await trx
    .selectFrom('reader_sentences')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .offset(MAX_PROJECT_SENTENCES)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await trx
      .deleteFrom('reader_sentences')
      .where('project_id', '=', projectId)
      .where('id', '<=', oldest.id)
      .execute();
}

/** Deletes what is too old, and sums up the days of past months. */
export async function pruneReaders(db: Db, now: number): Promise<void> {
  const counts = db.deleteFrom('reader_counts');
  await counts
    .where('span', '=', 'hour')
    .where('start', '<', now - KEPT_HOURS_MS)
    .execute();
  await counts
    .where('span', '=', 'month')
    .where('start', '<', monthOf(now, -KEPT_MONTHS))
    .execute();
  await db
    .deleteFrom('reader_sentences')
    .where('day', '<', now - KEPT_SENTENCES_MS)
    .execute();
  const before = monthOf(now - KEPT_DAYS_MS);
  for (let summed = 0; summed < MAX_SUMMED; summed += 1) {
    const oldest = await db
      .selectFrom('reader_counts')
      .select(['project_id', 'start'])
      .where('span', '=', 'day')
      .where('start', '<', before)
      .orderBy('start')
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    await sumMonth(db, oldest.project_id, monthOf(oldest.start));
  }
}

/** Makes one month of a project's days. */
async function sumMonth(db: Db, projectId: string, start: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Otherwise another process sums up the same days.
    if ((await lockProjects(trx, [projectId])).length === 0) return;
    const end = monthOf(start, 1);
    await sql`INSERT INTO reader_counts (project_id, span, start, kind, name, detail, count)
      SELECT project_id, 'month', CAST(${start} AS bigint), kind, name, detail, CAST(SUM(count) AS bigint)
      FROM reader_counts
      WHERE project_id = ${projectId} AND span = 'day' AND start >= ${start} AND start < ${end}
      GROUP BY project_id, kind, name, detail
      ON CONFLICT (project_id, span, start, kind, name, detail)
      DO UPDATE SET count = reader_counts.count + excluded.count`.execute(trx);
    await trx
      .deleteFrom('reader_counts')
      .where('project_id', '=', projectId)
      .where('span', '=', 'day')
      .where('start', '>=', start)
      .where('start', '<', end)
      .execute();
    for (const kind of COUNT_KINDS) await keepMost(trx, { projectId, span: 'month', start, kind });
  });
}

/** The sums of each kind in a span of time, by hour, day or month; those without any are left out. */
export async function listReaderSums(
  db: Db,
  projectId: string,
  { from, unit }: { readonly from: number; readonly unit: Span },
): Promise<{ start: number; kind: CountKind; count: number }[]> {
  const rows = await db
    .selectFrom('reader_counts')
    .select(['start', 'kind', sql<number>`CAST(SUM(count) AS bigint)`.as('sum')])
    .where('project_id', '=', projectId)
    .where('span', 'in', spansOf(unit))
    .where('start', '>=', from)
    .groupBy(['start', 'kind'])
    .orderBy('start')
    .execute();
  return rows.map(({ start, kind, sum }) => ({
    ...{ start: Number(start), kind: kind as CountKind, count: Number(sum) },
  }));
}

/** Days that are not summed up yet are a part of their month. */
const spansOf = (unit: Span): Span[] => (unit === 'month' ? ['day', 'month'] : [unit]);

export interface NameCount {
  readonly name: string;
  readonly detail: string;
  readonly count: number;
}

/** The most frequent names of a kind since an instant, with their details: all of these, or some. */
export async function listReaderNames(
  db: Db,
  projectId: string,
  kind: CountKind,
  {
    from,
    details,
    limit,
  }: {
    readonly from: number;
    readonly details?: readonly string[] | undefined;
    readonly limit: number;
  },
): Promise<NameCount[]> {
  let query = named(db, projectId, from)
    .select(['name', 'detail', sql<number>`CAST(SUM(count) AS bigint)`.as('sum')])
    .where('kind', '=', kind)
    .groupBy(['name', 'detail'])
    .orderBy('sum', 'desc')
    .orderBy('name')
    .limit(limit);
  if (details) query = query.where('detail', 'in', details);
  const rows = await query.execute();
  return rows.map(({ name, detail, sum }) => ({ name, detail, count: Number(sum) }));
}

/** The sums of each kind and detail since an instant; of missing paths all details together. */
export async function sumDetails(
  db: Db,
  projectId: string,
  from: number,
): Promise<{ kind: CountKind; detail: string; count: number }[]> {
  const detail = sql<string>`CASE WHEN kind = 'missing' THEN '' ELSE detail END`;
  const rows = await named(db, projectId, from)
    .select(['kind', detail.as('shown'), sql<number>`CAST(SUM(count) AS bigint)`.as('sum')])
    .groupBy(['kind', detail])
    .execute();
  return rows.map(({ kind, shown, sum }) => ({
    ...{ kind: kind as CountKind, detail: shown, count: Number(sum) },
  }));
}

/** Days and months: a period that begins in the last 92 days has days alone. */
const named = (db: Db, projectId: string, from: number) =>
  db
    .selectFrom('reader_counts')
    .where('project_id', '=', projectId)
    .where('span', 'in', ['day', 'month'])
    .where('start', '>=', from);

/** What readers wrote, the newest first; `before`: the id of the last one of the page before. */
export async function listSentences(
  db: Db,
  projectId: string,
  { from, before, limit }: { from: number; before?: number | undefined; limit: number },
): Promise<SentenceRow[]> {
  let query = db
    .selectFrom('reader_sentences')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('day', '>=', from)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

/** Deletes what a reader wrote; the row, or undefined where there is none. */
export function deleteSentence(trx: Trx, projectId: string, id: number) {
  return trx
    .deleteFrom('reader_sentences')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning(['page', 'day'])
    .executeTakeFirst();
}

/** Deletes all that is known of a project's readers. */
export async function clearReaders(trx: Trx, projectId: string): Promise<void> {
  await trx.deleteFrom('reader_counts').where('project_id', '=', projectId).execute();
  await trx.deleteFrom('reader_sentences').where('project_id', '=', projectId).execute();
}

/** Since when there are counts of a project: the start of the first hour, day or month; undefined where there are none. */
export async function firstCounted(db: Db, projectId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('reader_counts')
    .select(({ fn }) => fn.min('start').as('start'))
    .where('project_id', '=', projectId)
    .where('span', 'in', ['day', 'month'])
    .executeTakeFirst();
  return row?.start === null || row?.start === undefined ? undefined : Number(row.start);
}
