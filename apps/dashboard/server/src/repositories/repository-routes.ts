import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { jsonResponse, NO_CONTENT, operationsOf, type Routes, SlugParams } from '../http/routes.ts';
import {
  changeRepository,
  checkRepositoryNow,
  disconnectRepository,
  forgetHostKeys,
  makeWebhookSecretOf,
  readRepository,
} from './repositories.ts';
import { Repository, RepositoryInput, RepositoryWebhookSecret } from './repository.ts';

const operation = operationsOf('Repository');

/** The repository that a project is deployed from. `stopping`: aborts what a request asks the host. */
export const repositoryRoutes: Routes<{ stopping: AbortSignal }> = async (
  app,
  { deps, stopping },
) => {
  app.get(
    '/projects/:slug/repository',
    operation('repository.read', 'getRepository', 'Get the repository of a project', {
      params: SlugParams,
      response: jsonResponse(200, Repository),
    }),
    (request) => readRepository(deps, accessOf(request).project),
  );

  app.put(
    '/projects/:slug/repository',
    operation('repository.manage', 'putRepository', 'Connect a repository, or change it', {
      description:
        'Asks the host before it answers, for a few seconds at most. What is wrong there is the `state`, and no refusal.',
      params: SlugParams,
      body: RepositoryInput,
      response: jsonResponse(200, Repository, 'The repository after the change.'),
    }),
    (request) =>
      changeRepository(deps, accessOf(request).project, request.body, callerOf(request), stopping),
  );

  app.delete(
    '/projects/:slug/repository',
    operation('repository.manage', 'deleteRepository', 'Disconnect the repository', {
      description: 'What was deployed from it stays.',
      params: SlugParams,
      response: NO_CONTENT,
    }),
    (request) => disconnectRepository(deps, accessOf(request).project, callerOf(request)),
  );

  app.post(
    '/projects/:slug/repository/check',
    operation('repository.check', 'checkRepository', 'Ask the repository now', {
      description:
        'Deploys what is new, and tries again what failed. Answers when the host has, or after a few seconds.',
      params: SlugParams,
      querystring: Type.Object({
        branch: Type.Optional(
          Type.String({
            description: 'Deploy the newest commit of this branch, too, whatever became of it.',
          }),
        ),
      }),
      response: jsonResponse(200, Repository),
    }),
    (request) =>
      checkRepositoryNow(
        deps,
        accessOf(request).project,
        request.query.branch,
        callerOf(request),
        stopping,
      ),
  );

  app.post(
    '/projects/:slug/repository/webhook-secret',
    operation(
      'repository.manage',
      'createRepositoryWebhookSecret',
      'Make a new secret for the webhook of the host',
      {
        description: 'The one before is refused from now on.',
        params: SlugParams,
        response: jsonResponse(201, RepositoryWebhookSecret),
      },
    ),
    (request) => makeWebhookSecretOf(deps, accessOf(request).project, callerOf(request)),
  );

  app.delete(
    '/projects/:slug/repository/host-keys',
    operation('repository.manage', 'deleteRepositoryHostKeys', 'Accept a new key of an ssh host', {
      description:
        'Forgets the keys that are known, asks the host, and takes those that it shows now.',
      params: SlugParams,
      response: jsonResponse(200, Repository),
    }),
    (request) => forgetHostKeys(deps, accessOf(request).project, callerOf(request), stopping),
  );
};
