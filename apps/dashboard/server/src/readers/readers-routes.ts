import { notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { csvOf } from '../http/csv.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { writeAudit } from '../store/audit.ts';
import type { ProjectRow } from '../store/projects.ts';
import {
  clearReaders,
  deleteSentence,
  KEPT_SENTENCES_MS,
  listSentences,
  type SentenceRow,
} from '../store/readers.ts';
import { siteSource } from '../store/sites.ts';
import type { PeriodName } from './period.ts';
import { readReport, readTable } from './read-report.ts';
import {
  PeriodQuery,
  ReaderReport,
  type ReaderRow,
  ReaderSentence,
  ReaderTable,
  type TableName,
  TableParams,
  TableQuery,
} from './reader-report.ts';
import { tableCsv } from './table-csv.ts';

const operation = operationsOf('Readers');

const MAX_ROWS = 1_000;

const CSV_RESPONSE = {
  200: {
    description:
      'A table (RFC 4180) in UTF-8, with a line of names. What a spreadsheet would take for a formula begins with an apostrophe.',
    content: { 'text/csv': { schema: { type: 'string' } } },
  },
} as const;

/** What readers of a project's sites do. */
export const readersRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/readers',
    operation('readers.read', 'getReaders', 'What readers of the site did, in sums', {
      params: SlugParams,
      querystring: PeriodQuery,
      response: jsonResponse(200, ReaderReport),
    }),
    async (request) => readReport(deps, accessOf(request).project, request.query.period ?? '30d'),
  );

  app.delete(
    '/projects/:slug/readers',
    operation('project.update', 'deleteReaders', 'Delete all that is known of readers', {
      description:
        'All counts and what readers wrote. Counting goes on, unless it is switched off.',
      params: SlugParams,
      response: NO_CONTENT,
    }),
    async (request) => {
      const caller = callerOf(request);
      const { id, slug } = accessOf(request).project;
      await deps.db.transaction().execute(async (trx) => {
        await lockProjectFor(trx, caller, id, 'project.update');
        await clearReaders(trx, id);
        await writeAudit(trx, deps.now(), caller.actor, {
          ...{ action: 'readers.clear', projectId: id, target: slug, details: {} },
        });
      });
    },
  );

  app.get(
    '/projects/:slug/readers/sentences',
    operation('readers.read', 'listReaderSentences', 'What readers wrote, the newest first', {
      params: SlugParams,
      querystring: PageQuery,
      response: pageResponse(ReaderSentence),
    }),
    async (request) => {
      const { id } = accessOf(request).project;
      return readPage(
        request.query,
        (after, limit) =>
          listSentences(deps.db, id, {
            from: deps.now() - KEPT_SENTENCES_MS,
            before: numericPosition(after),
            limit,
          }),
        (row) => row.id,
        presentSentence,
      );
    },
  );

  app.get(
    '/projects/:slug/readers/sentences/csv',
    operation('readers.read', 'exportReaderSentences', 'What readers wrote, as CSV', {
      params: SlugParams,
      response: CSV_RESPONSE,
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const from = deps.now() - KEPT_SENTENCES_MS;
      const rows = await listSentences(deps.db, project.id, { from, limit: MAX_ROWS });
      const sentences = rows.map(presentSentence);
      reply.type(CSV).header('content-disposition', attachment(project, 'sentences'));
      return csvOf(
        ['day', 'page', 'helpful', 'sentence'],
        sentences.map(({ day, page, isHelpful, text }) => [
          ...[day, page, isHelpful ? 'yes' : 'no', text],
        ]),
      );
    },
  );

  app.delete(
    '/projects/:slug/readers/sentences/:id',
    operation('readers.manage', 'deleteReaderSentence', 'Delete what a reader wrote', {
      params: ItemParams,
      response: NO_CONTENT,
    }),
    async (request) => {
      const caller = callerOf(request);
      const { id: projectId } = accessOf(request).project;
      const id = sentenceId(request.params.id);
      await deps.db.transaction().execute(async (trx) => {
        await lockProjectFor(trx, caller, projectId, 'readers.manage');
        const deleted = await deleteSentence(trx, projectId, id);
        if (!deleted) throw notFound('sentence');
        await writeAudit(trx, deps.now(), caller.actor, {
          action: 'readers.delete_sentence',
          projectId,
          target: deleted.page,
          details: { day: dayText(deleted.day) },
        });
      });
    },
  );

  app.get(
    '/projects/:slug/readers/:table',
    operation('readers.read', 'getReaderTable', 'What readers of the site did, by name', {
      description:
        'Pages, hosts that readers came from, searches, searches without a result, missing paths with the redirect to add, answers to "Was this page helpful?", calls of the try-it panel, programs, and tools of the MCP server.',
      params: TableParams,
      querystring: TableQuery,
      response: jsonResponse(200, ReaderTable),
    }),
    async (request) => {
      const { table } = request.params;
      const { period = '30d', limit = 100 } = request.query;
      return { items: await tableOf(deps, accessOf(request).project, table, { period, limit }) };
    },
  );

  app.get(
    '/projects/:slug/readers/:table/csv',
    operation('readers.read', 'exportReaderTable', 'The same as CSV', {
      params: TableParams,
      querystring: PeriodQuery,
      response: CSV_RESPONSE,
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const { table } = request.params;
      const { period = '30d' } = request.query;
      const rows = await tableOf(deps, project, table, { period, limit: MAX_ROWS });
      reply.type(CSV).header('content-disposition', attachment(project, `${table}-${period}`));
      return tableCsv(table, rows);
    },
  );
};

const CSV = 'text/csv; charset=utf-8; header=present';

const attachment = ({ slug }: ProjectRow, name: string) =>
  `attachment; filename="${slug}-readers-${name}.csv"`;

async function tableOf(
  deps: Deps,
  project: ProjectRow,
  table: TableName,
  asked: { readonly period: PeriodName; readonly limit: number },
): Promise<ReaderRow[]> {
  const rows = await readTable(deps, project.id, table, asked);
  if (table !== 'missing' || rows.length === 0) return rows;
  const { db, config, addresses, sealer, now } = deps;
  const { platformHost } = config;
  const source = siteSource({ db, platformHost, addresses, sealer, now });
  const site = await source.findSite(`${project.slug}.${platformHost}` as CanonicalHost);
  // Loaded here: it writes YAML, and few ask for it.
  const { withRedirects } = await import('./missing-redirects.ts');
  return withRedirects(source, site, rows);
}

const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10);

const presentSentence = ({ id, day, page, helpful, text }: SentenceRow): ReaderSentence => ({
  ...{ id: Number(id), day: dayText(Number(day)), page, isHelpful: helpful === 1, text },
});

/** Throws ApiError where there can be no such sentence. */
function sentenceId(text: string): number {
  const id = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) throw notFound('sentence');
  return id;
}
