import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Deps } from '../deps.ts';
import { accessOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import { pageResponse } from '../http/responses.ts';
import { SlugParams } from '../projects/project-routes.ts';
import { type AuditRow, readAudit } from '../store/audit.ts';
import { AuditEntry } from './audit-entry.ts';

const tags = ['Audit log'];

/** Who did what, when, from where: in a project, and in the whole installation. */
export const auditRoutes: FastifyPluginCallbackTypebox<{ deps: Deps }> = (app, { deps }, done) => {
  const page = (query: { limit?: number; cursor?: string }, of: { projectId?: string }) =>
    readPage(
      query,
      (after, limit) => {
        const before = numericPosition(after);
        return readAudit(deps.db, { ...of, ...(before !== undefined && { before }), limit });
      },
      ({ id }) => id,
      present,
    );

  app.get(
    '/projects/:slug/audit',
    {
      config: { access: 'audit.read' },
      schema: {
        tags,
        operationId: 'listProjectAudit',
        summary: "A project's changes, the newest first",
        params: SlugParams,
        querystring: PageQuery,
        response: pageResponse(AuditEntry),
      },
    },
    async (request) => page(request.query, { projectId: accessOf(request).project.id }),
  );

  app.get(
    '/audit',
    {
      config: { access: 'installation' },
      schema: {
        tags,
        operationId: 'listAudit',
        summary: "The installation's changes, the newest first",
        querystring: PageQuery,
        response: pageResponse(AuditEntry),
      },
    },
    async (request) => page(request.query, {}),
  );

  done();
};

function present(row: AuditRow): AuditEntry {
  const { id, at, actor, via, ip, action, slug, target, details } = row;
  return {
    id,
    at: new Date(at).toISOString(),
    actor,
    via,
    token: row.token_id === null ? null : { id: row.token_id, name: row.token_name ?? '' },
    ip,
    action,
    project: slug,
    target,
    details: JSON.parse(details) as Record<string, unknown>,
  };
}
