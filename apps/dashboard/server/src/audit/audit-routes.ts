import { accessOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage } from '../http/pagination.ts';
import { operationsOf, pageResponse, type Routes, SlugParams } from '../http/routes.ts';
import { readAudit } from '../store/audit.ts';
import { AuditEntry } from './audit-entry.ts';
import { presentEntry } from './present-entry.ts';

const operation = operationsOf('Audit log');

/** Who did what, when, from where: in a project, and in the whole installation. */
export const auditRoutes: Routes = async (app, { deps }) => {
  const page = (query: { limit?: number; cursor?: string }, of: { projectId?: string }) =>
    readPage(
      query,
      (after, limit) => readAudit(deps.db, { ...of, before: numericPosition(after), limit }),
      ({ id }) => id,
      presentEntry,
    );

  app.get(
    '/projects/:slug/audit',
    operation('audit.read', 'listProjectAudit', "A project's changes, the newest first", {
      params: SlugParams,
      querystring: PageQuery,
      response: pageResponse(AuditEntry),
    }),
    async (request) => page(request.query, { projectId: accessOf(request).project.id }),
  );

  app.get(
    '/audit',
    operation('installation', 'listAudit', "The installation's changes, the newest first", {
      querystring: PageQuery,
      response: pageResponse(AuditEntry),
    }),
    async (request) => page(request.query, {}),
  );
};
