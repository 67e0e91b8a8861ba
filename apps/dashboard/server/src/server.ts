import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { closeGracefully, stopAccepting } from '@petstore/http/close-gracefully.ts';
import { refuseBadConnections } from '@petstore/http/connection-errors.ts';
import { acceptEveryMethod } from '@petstore/http/methods.ts';
import { originForm } from '@petstore/http/request-head.ts';
import { type Log, logRequest } from '@petstore/service/log.ts';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { accountLinkRoutes } from './accounts/account-link-routes.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { confirmationRoutes } from './accounts/factors/confirmation-routes.ts';
import { factorRoutes } from './accounts/factors/factor-routes.ts';
import { factorSignInRoutes } from './accounts/factors/sign-in-routes.ts';
import { sessionRoutes } from './accounts/session-routes.ts';
import { routeNotFound } from './api-error.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { branchPreviewRoutes } from './deploys/branch-preview-routes.ts';
import { deployRoutes } from './deploys/deploy-routes.ts';
import { changeExceptionRoutes } from './deploys/exceptions/change-exception-routes.ts';
import { siteVersionRoutes } from './deploys/versions/site-version-routes.ts';
import type { Deps } from './deps.ts';
import { domainConnectRoutes } from './domain-connect/domain-connect-routes.ts';
import { domainRoutes } from './domains/domain-routes.ts';
import { domainLinkRoutes } from './domains/link-routes.ts';
import { domainMoveRoutes } from './domains/move/move-routes.ts';
import { rehearsalRoutes } from './domains/rehearsal/rehearsal-routes.ts';
import { simulationRoutes } from './domains/simulation/simulation-routes.ts';
import { exportRoutes } from './export/export-routes.ts';
import { groupRoutes } from './groups/group-routes.ts';
import { projectGroupRoutes } from './groups/project-group-routes.ts';
import { homeRoutes } from './home/home-routes.ts';
import { guardRoutes } from './http/access.ts';
import { collectDocument, SCHEMAS } from './http/document.ts';
import { connectionErrorResponse, errorHandler } from './http/error-handler.ts';
import { lazyCompilers } from './http/lazy-compilers.ts';
import { MAX_PARAMETER_LENGTH, refuseOtherMethods } from './http/methods.ts';
import { guardOwnName } from './http/own-name.ts';
import {
  acceptJsonOnly,
  checkRequestHead,
  parseQueryIntegers,
  validationMessage,
} from './http/request-parsing.ts';
import { respondAsDeclared } from './http/routes.ts';
import { sessionCookieName } from './http/session-cookie.ts';
import { installationRoutes } from './installation/installation-routes.ts';
import { peopleRoutes } from './installation/people-routes.ts';
import { securityRoutes } from './installation/security-routes.ts';
import { webhookRoutes } from './notices/webhook-routes.ts';
import { backchannelLogoutRoute } from './oidc/backchannel-logout-route.ts';
import { identityRoutes } from './oidc/identity-routes.ts';
import { installationSignInRoutes } from './oidc/installation-sign-in-routes.ts';
import { oidcRoutes } from './oidc/oidc-routes.ts';
import type { Readiness } from './operations/readiness.ts';
import { invitationRoutes } from './projects/invitation-routes.ts';
import { memberRoutes } from './projects/member-routes.ts';
import { movedAddressRoutes } from './projects/moved-address-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { projectTokenRoutes } from './projects/token-routes.ts';
import { quotaRoutes } from './quotas/quota-routes.ts';
import { usageRoutes } from './quotas/usage-routes.ts';
import { readersRoutes } from './readers/readers-routes.ts';
import { repositoryRoutes } from './repositories/repository-routes.ts';
import { repositoryWebhookRoute } from './repositories/webhook/webhook-route.ts';
import { scimRoutes } from './scim/scim-routes.ts';
import { scimTokenRoutes } from './scim/token-routes.ts';
import { searchRoutes } from './search/search-routes.ts';
import { siteAccessRoutes } from './site-access/site-access-routes.ts';
import { webRoutes } from './web/web-routes.ts';
import { zoneRoutes } from './zone/zone-routes.ts';

const MAX_BODY_BYTES = 65_536;
const MAX_HEADER_BYTES = 16_384;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the minute for which load balancers keep an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

interface ServerDeps {
  readonly deps: Deps;
  readonly log: Log;
  readonly version: string;
  readonly readiness: Readiness;
  /** The folder of the built web pages. */
  readonly webFolder: string;
  /** How long clients that are busy get for one more request when the service closes, in milliseconds. */
  readonly gracePeriodMs: number;
}

/** The dashboard's HTTP service, not yet listening. Its plugins are in the order in which a request passes them. */
export async function buildServer({
  deps,
  log,
  version,
  readiness,
  webFolder,
  gracePeriodMs,
}: ServerDeps): Promise<FastifyInstance> {
  const stopping = new AbortController();
  const onError = errorHandler(log);
  const app = Fastify({
    genReqId: () => randomUUID(),
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections meanwhile are answered as ever.
    return503OnClosing: false,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node refuses a missing Host with an empty body; checkRequestHead sends the Error body.
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    requestIdHeader: false,
    rewriteUrl: originForm,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    // A path that cannot be decoded, which passes no hook.
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request));
      onError(error, request, reply);
    },
    // refuseBadConnections responds.
    clientErrorHandler: () => {},
    schemaErrorFormatter: validationMessage,
    schemaController: { compilersFactory: lazyCompilers },
    // Bodies are taken as they are: "5" is not an integer.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false } },
    logger: false,
  }).withTypeProvider<TypeBoxTypeProvider>();

  refuseBadConnections(app.server, MAX_HEADER_BYTES, connectionErrorResponse);
  // RFC 9110, section 10.1.1 lets a server ignore an expectation that it does not know.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  app.setErrorHandler(onError);
  acceptJsonOnly(app);
  acceptEveryMethod(app);
  app.setNotFoundHandler(() => {
    throw routeNotFound();
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request));
    checkRequestHead(request, reply);
  });
  if (deps.config.domain) guardOwnName(app, deps.config.domain);
  app.addHook('onResponse', logRequest(log));
  app.addHook('preValidation', parseQueryIntegers);
  for (const schema of SCHEMAS) app.addSchema(schema);
  await app.register(cookie);
  const document = collectDocument(app, version);
  guardRoutes(app, deps);
  refuseOtherMethods(app);

  await app.register(
    async (api) => {
      // Responses are for one user and change at any time.
      api.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store');
      });
      respondAsDeclared(api);
      api.register(installationRoutes, { deps, version });
      api.register(peopleRoutes, { deps });
      api.register(groupRoutes, { deps });
      api.register(projectGroupRoutes, { deps });
      api.register(scimTokenRoutes, { deps });
      api.register(securityRoutes, { deps });
      api.register(quotaRoutes, { deps });
      api.register(usageRoutes, { deps });
      api.register(sessionRoutes, { deps });
      api.register(factorSignInRoutes, { deps });
      api.register(confirmationRoutes, { deps });
      api.register(accountRoutes, { deps });
      api.register(accountLinkRoutes, { deps });
      api.register(factorRoutes, { deps });
      api.register(oidcRoutes, { deps, log });
      api.register(backchannelLogoutRoute, { deps });
      api.register(identityRoutes, { deps });
      api.register(installationSignInRoutes, { deps });
      api.register(projectRoutes, { deps });
      api.register(movedAddressRoutes, { deps });
      api.register(searchRoutes, { deps });
      api.register(homeRoutes, { deps });
      api.register(memberRoutes, { deps });
      api.register(invitationRoutes, { deps });
      api.register(projectTokenRoutes, { deps });
      api.register(deployRoutes, { deps, stopping: stopping.signal });
      api.register(branchPreviewRoutes, { deps });
      api.register(siteVersionRoutes, { deps });
      api.register(siteAccessRoutes, { deps });
      api.register(changeExceptionRoutes, { deps });
      api.register(domainRoutes, { deps });
      api.register(simulationRoutes, { deps });
      api.register(domainLinkRoutes, { deps });
      api.register(domainMoveRoutes, { deps });
      api.register(readersRoutes, { deps });
      api.register(exportRoutes, { deps });
      api.register(rehearsalRoutes, { deps });
      api.register(auditRoutes, { deps });
      api.register(zoneRoutes, { deps });
      api.register(domainConnectRoutes, { deps });
      api.register(webhookRoutes, { deps, stopping: stopping.signal });
      api.register(repositoryRoutes, { deps, stopping: stopping.signal });
      api.register(repositoryWebhookRoute, { deps });
      api.get(
        '/openapi.json',
        { config: { access: 'public' }, schema: { hide: true } },
        (request) => document(sessionCookieName(request, deps.addresses())),
      );
    },
    { prefix: '/api' },
  );

  await app.register(scimRoutes, { prefix: '/scim/v2', deps, onError });
  app.get('/livez', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const report = await readiness.report();
    return reply.code(report.status === 'ok' ? 200 : 503).send(report);
  });
  await app.register(webRoutes, { folder: webFolder });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping.signal.aborted) reply.header('connection', 'close');
  });
  const announce = () => {
    stopping.abort();
    stopAccepting(app.server);
  };
  closeGracefully(app, announce, gracePeriodMs);
  return app;
}

/** The headers of every response. */
function commonHeaders({ id }: FastifyRequest) {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' };
}
