import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Installation } from './accounts/account.ts';
import { signUpMode } from './accounts/accounts.ts';
import type { Deps } from './deps.ts';
import { jsonResponse } from './http/responses.ts';

/** What a visitor must know to sign up or in. */
export const installationRoutes: FastifyPluginCallbackTypebox<{ deps: Deps; version: string }> = (
  app,
  { deps, version },
  done,
) => {
  app.get(
    '/installation',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Installation'],
        operationId: 'getInstallation',
        summary: 'About this installation',
        response: jsonResponse(200, Installation),
      },
    },
    async () => ({
      version,
      signUp: await signUpMode(deps),
      platformHost: deps.config.platformHost,
      siteUrlTemplate: deps.addresses().site('slug').replace('//slug.', '//{slug}.'),
      mail: deps.config.mail !== undefined,
    }),
  );
  done();
};
