import type { IncomingMessage } from 'node:http';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import { operationsOf, type Routes } from '../../http/routes.ts';
import { receiveWebhook } from './receive-webhook.ts';

const operation = operationsOf('Repository');

/** Where the hosts of repositories send their webhooks. */
export const repositoryWebhookRoute: Routes = async (app, { deps }) => {
  // The body is read as it is sent: the signature is about its bytes, and hosts send JSON or a form.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, body: IncomingMessage) => body);
  app.post<{ Params: { id: string }; Body: IncomingMessage | undefined }>(
    '/git/:id',
    operation('public', 'receiveRepositoryWebhook', "Take a webhook of a repository's host", {
      description:
        'Of GitHub, GitLab, Gitea, Forgejo or Bitbucket, signed with the secret of the repository. It has the repository asked for new commits; what it says is not believed.',
      params: Type.Object({ id: Type.String() }),
      response: {
        200: {
          ...Type.Object({ message: Type.String({ description: 'What became of it.' }) }),
          description: 'Taken, or ignored.',
        },
      },
    }),
    ({ params, headers, body, ip }) => receiveWebhook(deps, params.id, { headers, body, ip }),
  );
};
