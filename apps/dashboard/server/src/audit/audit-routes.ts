import { Readable } from 'node:stream';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessOf, isStillAuthorized } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import { operationsOf, pageResponse, type Routes, SlugParams } from '../http/routes.ts';
import { OneOf } from '../schema-types.ts';
import { type AuditFilter, readAudit, readAuditInOrder } from '../store/audit.ts';
import { findProject } from '../store/projects.ts';
import { AuditEntry } from './audit-entry.ts';
import { AUDIT_FILTER, INSTALLATION_AUDIT_FILTER, readAuditFilter } from './audit-query.ts';
import { EXPORT_FORMATS, type ExportFormatName } from './export-formats.ts';
import { presentEntry } from './present-entry.ts';

const operation = operationsOf('Audit log');

const Format = Type.Optional(
  OneOf(['jsonl', 'csv'], { default: 'jsonl', description: 'JSON Lines, or CSV.' }),
);

const EXPORT = {
  description:
    'All entries, the oldest first, as a stream. It breaks off where the right to read the log ends meanwhile.',
  response: {
    200: {
      description: 'The entries, a line each.',
      content: Object.fromEntries(
        ['application/jsonl', 'text/csv'].map((type) => [type, { schema: { type: 'string' } }]),
      ),
    },
  },
};

/** How many entries of an export are in memory at once. */
const EXPORT_PAGE = 500;

/** Who did what, when, from where: in a project, and in the whole installation. */
export const auditRoutes: Routes = async (app, { deps }) => {
  const { db } = deps;

  const page = (query: { limit?: number; cursor?: string }, filter: AuditFilter) =>
    readPage(
      query,
      (after, limit) => readAudit(db, filter, { before: numericPosition(after), limit }),
      ({ id }) => id,
      presentEntry,
    );

  /** Sends a log as a file. `name`: of what it is, for the name of the file. */
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { format, name, filter }: { format: ExportFormatName; name: string; filter: AuditFilter },
  ) => {
    const day = new Date(deps.now()).toISOString().slice(0, 10);
    reply.headers({
      'content-type': EXPORT_FORMATS[format].type,
      'content-disposition': `attachment; filename="${name}-audit-${day}.${format}"`,
    });
    // A response to HEAD has no body that would end.
    if (request.method === 'HEAD') return reply.send('');
    return reply.send(Readable.from(lines(request, format, filter), { objectMode: false }));
  };

  async function* lines(request: FastifyRequest, format: ExportFormatName, filter: AuditFilter) {
    const { head, line } = EXPORT_FORMATS[format];
    if (head !== '') yield head;
    for (let after = 0; ; ) {
      const rows = await readAuditInOrder(db, filter, { after, limit: EXPORT_PAGE });
      if (rows.length === 0) return;
      yield rows.map((row) => line(presentEntry(row))).join('');
      after = rows.at(-1)?.id ?? after;
      if (!(await isStillAuthorized(request, deps))) throw new Error('the right to read has ended');
    }
  }

  /** The conditions on the whole installation's log. A project that is not there has no entries. */
  const installationFilter = async (
    query: Parameters<typeof readAuditFilter>[0] & { project?: string },
  ): Promise<AuditFilter> => {
    const filter = readAuditFilter(query);
    if (query.project === undefined) return filter;
    const found = await findProject(db, query.project.replaceAll('\0', ''), null);
    return { ...filter, projectId: found?.project.id ?? '' };
  };

  app.get(
    '/projects/:slug/audit',
    operation('audit.read', 'listProjectAudit', "A project's changes, the newest first", {
      params: SlugParams,
      querystring: Type.Object({ ...PageQuery.properties, ...AUDIT_FILTER }),
      response: pageResponse(AuditEntry),
    }),
    async (request) => {
      const projectId = accessOf(request).project.id;
      return page(request.query, { ...readAuditFilter(request.query), projectId });
    },
  );

  app.get(
    '/projects/:slug/audit/export',
    operation('audit.read', 'exportProjectAudit', "Download a project's changes", {
      params: SlugParams,
      querystring: Type.Object({ format: Format, ...AUDIT_FILTER }),
      ...EXPORT,
    }),
    async (request, reply) => {
      const { id, slug } = accessOf(request).project;
      const filter = { ...readAuditFilter(request.query), projectId: id };
      return send(request, reply, { format: request.query.format ?? 'jsonl', name: slug, filter });
    },
  );

  app.get(
    '/audit',
    operation('installation', 'listAudit', "The installation's changes, the newest first", {
      querystring: Type.Object({ ...PageQuery.properties, ...INSTALLATION_AUDIT_FILTER }),
      response: pageResponse(AuditEntry),
    }),
    async (request) => page(request.query, await installationFilter(request.query)),
  );

  app.get(
    '/audit/export',
    operation('installation', 'exportAudit', "Download the installation's changes", {
      querystring: Type.Object({ format: Format, ...INSTALLATION_AUDIT_FILTER }),
      ...EXPORT,
    }),
    async (request, reply) =>
      send(request, reply, {
        format: request.query.format ?? 'jsonl',
        name: 'installation',
        filter: await installationFilter(request.query),
      }),
  );
};
