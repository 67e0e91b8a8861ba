import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import { NO_CONTENT, operationsOf, pageResponse, type Routes, SlugParams } from '../http/routes.ts';
import { BranchPreview } from './branch-preview.ts';
import { deletePreview, readPreviews } from './branch-previews.ts';

const operation = operationsOf('Branch previews');

/** The previews of a project's branches. A deploy with `branch` opens one. */
export const branchPreviewRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/previews',
    operation('deploy.read', 'listBranchPreviews', 'List previews, the latest deployed first', {
      params: SlugParams,
      response: pageResponse(BranchPreview),
    }),
    async (request) => singlePage(await readPreviews(deps, accessOf(request).project)),
  );

  app.delete(
    '/projects/:slug/previews/:branch',
    operation('deploy.create', 'deleteBranchPreview', 'End the preview of a branch', {
      description:
        'The files of its deploys are removed. Another deploy of the branch opens it again.',
      params: Type.Object({ ...SlugParams.properties, branch: Type.String() }),
      response: NO_CONTENT,
    }),
    (request) =>
      deletePreview(deps, accessOf(request).project, request.params.branch, callerOf(request)),
  );
};
