import { removeDeployFiles } from '../deploys/remove-files.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { numericPosition, PageQuery, readPage, singlePage } from '../http/pagination.ts';
import {
  ItemParams,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { bytesToFree, listRemovable } from '../store/removable-deploys.ts';
import { QuotaUse, RemovableDeploy } from './quota-use.ts';
import { readAccountUse, readProjectUse } from './usage.ts';

const account = operationsOf('Account');
const project = operationsOf('Projects');
const deploys = operationsOf('Deploys');

/** Deploy numbers are 32-bit integers in PostgreSQL. */
const MAX_NUMBER = 2_147_483_647;

/** What is used of what an operator bounds, for those who use it, and how to make room. */
export const usageRoutes: Routes = async (app, { deps }) => {
  const { db, now } = deps;

  app.get(
    '/account/quotas',
    account('account', 'listOwnQuotas', 'What your account uses and may use', {
      response: pageResponse(QuotaUse),
    }),
    async (request) => singlePage(await readAccountUse(db, callerOf(request).user.id)),
  );

  app.get(
    '/projects/:slug/quotas',
    project('project.read', 'listQuotasOfProject', 'What a project uses and may use', {
      params: SlugParams,
      response: pageResponse(QuotaUse),
    }),
    async (request) => singlePage(await readProjectUse(db, accessOf(request).project, now())),
  );

  app.get(
    '/projects/:slug/removable-deploys',
    deploys('deploy.read', 'listRemovableDeploys', 'List deploys whose files may be removed', {
      description:
        'Those that neither the site shows, nor a version, nor the preview of a branch. The oldest first.',
      params: SlugParams,
      querystring: PageQuery,
      response: pageResponse(RemovableDeploy),
    }),
    (request) => {
      const { id: projectId } = accessOf(request).project;
      return readPage(
        request.query,
        (after, limit) => listRemovable(db, projectId, limit, numericPosition(after, MAX_NUMBER)),
        ({ number }) => number,
        async (row) => ({
          ...{ id: row.id, number: row.number, sourceName: row.source_name },
          createdAt: instant(row.created_at),
          frees: await bytesToFree(db, projectId, row),
        }),
      );
    },
  );

  app.delete(
    '/projects/:slug/deploys/:id/files',
    deploys('deploy.create', 'removeDeployFiles', 'Remove the files of a deploy', {
      description:
        'To make room: its entry and its log stay, and its own address is gone. Refused while readers find it as the site, a version or the preview of a branch.',
      params: ItemParams,
      response: NO_CONTENT,
    }),
    (request) =>
      removeDeployFiles(deps, accessOf(request).project, request.params.id, callerOf(request)),
  );
};
