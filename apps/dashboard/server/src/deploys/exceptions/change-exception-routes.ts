import { accessOf, callerOf } from '../../http/access.ts';
import { singlePage } from '../../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../../http/routes.ts';
import { ChangeException, NewChangeException } from './change-exception.ts';
import { addException, endException, listExceptions } from './change-exceptions.ts';

const operation = operationsOf('Change exceptions');

/** Changes of a project's API that its owners allow although they break clients. */
export const changeExceptionRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/change-exceptions',
    operation('deploy.read', 'listChangeExceptions', 'List the changes that are allowed', {
      description: 'Those that hold today. A docs.yaml may have others.',
      params: SlugParams,
      response: pageResponse(ChangeException),
    }),
    async (request) => singlePage(await listExceptions(deps, accessOf(request).project)),
  );

  app.post(
    '/projects/:slug/change-exceptions',
    operation('exception.manage', 'createChangeException', 'Allow a change', {
      description:
        'It counts as compatible from now on, in deploys that are not live yet and in later ones.',
      params: SlugParams,
      body: NewChangeException,
      response: jsonResponse(201, ChangeException, 'The exception.'),
    }),
    (request) => addException(deps, accessOf(request).project, request.body, callerOf(request)),
  );

  app.delete(
    '/projects/:slug/change-exceptions/:id',
    operation('exception.manage', 'endChangeException', 'Allow a change no longer', {
      description: 'What went live with it stays live.',
      params: ItemParams,
      response: NO_CONTENT,
    }),
    (request) =>
      endException(deps, accessOf(request).project, request.params.id, callerOf(request)),
  );
};
