import { Installation } from '../accounts/account.ts';
import { offeredSignUp } from '../accounts/first-account.ts';
import type { DeployLimits } from '../deploys/deploy-limits.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';

const operation = operationsOf('Installation');

const uploadLimitsOf = ({ uploadBytes, unpackedBytes, archiveFiles }: DeployLimits) => ({
  bytes: uploadBytes,
  unpackedBytes,
  files: archiveFiles,
});

/** The facts that a visitor needs to sign up or in. */
export const installationRoutes: Routes<{ version: string }> = async (app, { deps, version }) => {
  app.get(
    '/installation',
    operation('public', 'getInstallation', 'About this installation', {
      response: jsonResponse(200, Installation),
    }),
    async (request) => ({
      version,
      signUp: await offeredSignUp(deps, request),
      providers: deps.config.oidc.map(({ id, name }) => ({ id, name })),
      passwords: !deps.config.oidc.some(({ required }) => required === 'everyone'),
      platformHost: deps.config.platformHost,
      siteUrlTemplate: deps.addresses().site('slug').replace('//slug.', '//{slug}.'),
      mail: deps.config.mail !== undefined,
      requestProxy: deps.config.requestProxy === 'allow',
      prepare: deps.config.dnsZone !== undefined,
      uploadLimits: uploadLimitsOf(deps.config.deploys),
    }),
  );
};
