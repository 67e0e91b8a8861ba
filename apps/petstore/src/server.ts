import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { closeGracefully } from '@petstore/http/close-gracefully.ts';
import { acceptEveryMethod } from '@petstore/http/methods.ts';
import { originForm } from '@petstore/http/request-head.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Exposition } from '@petstore/service/metrics/exposition.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyServerOptions,
} from 'fastify';
import { baseUrls, listeningPort, publicOrigin } from './addresses.ts';
import { apiRoutes } from './api-routes.ts';
import { CATEGORY_SCHEMAS } from './categories/category.ts';
import type { Config } from './config.ts';
import { EVENT_SCHEMAS } from './events/event.ts';
import { FAULT_SCHEMAS } from './faults/fault-rule.ts';
import { FaultInjector } from './faults/faults.ts';
import { admissionChecks } from './http/admission/admission.ts';
import { Authentication } from './http/admission/authentication.ts';
import { announceDeprecation } from './http/admission/deprecation.ts';
import { pathNotFound } from './http/api-error.ts';
import { connectionErrors } from './http/connection-errors.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { errorHandler, errorResponder } from './http/error-handler.ts';
import { FastPath } from './http/fast-path.ts';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from './http/limits.ts';
import { OtherMethods } from './http/methods.ts';
import { createNodeServer, securityHeaders } from './http/node-server.ts';
import { Overload } from './http/overload.ts';
import { handleInOrder } from './http/pipelining.ts';
import { cannotBePath, checkHead } from './http/request-checks.ts';
import { requestIds } from './http/request-id.ts';
import { responseOf } from './http/service-response.ts';
import { validatorCompiler } from './http/validation.ts';
import { KeyUsage } from './keys/key-usage.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { collectOperations } from './openapi/document.ts';
import { documentRoutes, textRoutes } from './openapi/document-routes.ts';
import { errorPages } from './openapi/reference/error-pages.ts';
import { referenceRoutes } from './openapi/reference/reference-routes.ts';
import { ErrorBody } from './openapi/responses.ts';
import { ORDER_SCHEMAS } from './orders/order.ts';
import { PET_SCHEMAS } from './pets/pet.ts';
import { PetFilter } from './pets/pet-filter.ts';
import { FailedAuthentications } from './rate-limits/failed-authentications.ts';
import type { SharedLimits } from './rate-limits/quota.ts';
import { RateLimiter } from './rate-limits/rate-limiter.ts';
import { healthRoutes, Readiness } from './readiness.ts';
import { REPORT_SCHEMAS } from './report/report-schemas.ts';
import { SANDBOX_SCHEMAS } from './sandboxes/sandbox.ts';
import { sandboxKeys } from './sandboxes/sandbox-keys.ts';
import type { Named } from './schema-types.ts';
import { isOffered } from './stability.ts';
import { SandboxStores } from './store/sandbox/sandbox-stores.ts';
import type { Store } from './store/store.ts';
import { AccessLog } from './telemetry/access-log.ts';
import { HttpMetrics } from './telemetry/http-metrics.ts';
import { metricsRoutes } from './telemetry/metrics-routes.ts';
import { RequestObserver } from './telemetry/request-observer.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { WEBHOOK_SCHEMAS } from './webhooks/webhook-schemas.ts';

/** Every schema that has a name, in the order of the document. */
const schemas: readonly Named[] = [
  ...[...PET_SCHEMAS, PetFilter, ...CATEGORY_SCHEMAS, ...ORDER_SCHEMAS],
  ...[...SANDBOX_SCHEMAS, ...EVENT_SCHEMAS, ...WEBHOOK_SCHEMAS],
  ...[...FAULT_SCHEMAS, ...REPORT_SCHEMAS],
  ErrorBody,
];

/** The share of the requests in flight that injected faults may delay at once; the rest is kept for other requests. */
const MAX_DELAYED_SHARE = 0.25;

type Compilers = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;

export interface ServerDeps {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  /** Further metrics for `GET /metrics`. */
  readonly metrics?: Metrics;
  /** Collects traces. The store then has to be a traced one. */
  readonly tracing?: Tracing | undefined;
  /** The limits counted together with other processes that serve the same port; undefined where there are none. */
  readonly shared?: SharedLimits | undefined;
  /** The metrics of all processes, where there are several. */
  readonly metricsOfAll?: Exposition | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Aborted when the process is told to stop: from then on it is not ready, whatever it still does. */
  readonly stopping?: AbortSignal;
}

/**
 * Builds the service without listening. The parts are registered in the order in which a request passes them, as
 * docs/architecture.md has it ("The way of a request"). Closing the app leaves the store open: whoever opened it closes
 * it.
 */
export async function buildServer(deps: ServerDeps): Promise<FastifyInstance> {
  const { config, store, log, metrics = new Metrics(), tracing, now = Date.now, stopping } = deps;
  const { shared } = deps;
  const requestId = requestIds();
  const httpMetrics = new HttpMetrics(metrics);
  const respondWithError = errorResponder(log, requestId, (kind) =>
    httpMetrics.databaseFailed(kind),
  );
  const onError = errorHandler(respondWithError);
  const cors = crossOrigin(config.corsOrigins);
  const isDebugging = log.isLevelEnabled('debug');
  const otherMethods = new OtherMethods(config.stability);
  const observer = new RequestObserver({
    metrics: httpMetrics,
    accessLog: new AccessLog(log, isDebugging ? 'all' : config.accessLog, config.slowRequestMs),
    log,
    requestId,
    tracing,
    pathOf: (request) => otherMethods.pathOf(request),
  });
  const onRefused = observer.refused.bind(observer);
  const always = securityHeaders(config);
  const connections = connectionErrors(
    requestId,
    onRefused,
    (request) => ({ ...always, ...cors.headersFor(request) }),
    config.maxHeaderBytes,
  );
  // Limits use a monotonic clock, unless a test brings its own.
  const elapsed = deps.now ?? (() => performance.now());
  const usage = new KeyUsage(store.keys, log);
  // With debug logs or traces, every request goes through the router, so that each step shows.
  const changes = isDebugging || tracing ? undefined : store.changes;
  const hasSandboxes =
    config.sandboxes !== 'off' && isOffered({ stability: 'experimental' }, config.stability);
  const sandboxStores = hasSandboxes ? new SandboxStores(store.sandboxes) : undefined;
  const sandboxKey = hasSandboxes ? sandboxKeys(store.sandboxes) : undefined;
  const authentication = new Authentication({
    ...{ keys: store.keys, sandboxKey, changes, environment: config.environment, now },
    failures: failuresOf(config, elapsed, shared),
  });
  const check = admissionChecks({ usage, limiter: limiterOf(config, store, elapsed, shared), now });
  const { isCutOff } = connections;
  const fastPath = new FastPath({
    ...{ changes, store, authentication, check, observer, respondWithError, isCutOff },
    stability: config.stability,
  });
  const { writeQueue } = store;
  const overload = new Overload({ limits: config, writeQueue, log, metrics });
  const faults = sandboxStores
    ? new FaultInjector({
        store: store.faults,
        staleStore: (sandbox, changes) => sandboxStores.storeOf(sandbox, changes),
        maxWaiting: Math.ceil(config.maxRequestsInFlight * MAX_DELAYED_SHARE),
        now,
      })
    : undefined;
  const readiness = new Readiness({ config, store, overload, stopping, log });
  const app = Fastify({
    logger: false,
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    rewriteUrl: originForm,
    // `false` and an empty list differ: with an empty list each request looks for a proxy.
    trustProxy: config.trustedProxies.length > 0 && [...config.trustedProxies],
    schemaController: { compilersFactory: compilers(schemas) },
    routerOptions: { maxParamLength: MAX_TARGET_BYTES },
    // During shutdown a request that still arrives is served; Fastify's own 503 has another body.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      observer.begin(request, reply);
      onError(error, request, reply);
    },
    // See connectionErrors.
    clientErrorHandler: () => undefined,
    serverFactory: (route) => {
      const counted = overload.counted(fastPath.createsBefore(route));
      const handle = overload.guard(fastPath.readsBefore(counted));
      const hold = overload.hold.bind(overload);
      const inTurn = handleInOrder(cors.marked(handle), isCutOff, hold);
      return createNodeServer(config, always, requestId, inTurn);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  connections.watch(app.server);
  overload.watch(app.server);
  acceptEveryMethod(app, { hasBody: true });

  for (const schema of schemas) app.addSchema(schema);

  const urls = onceListening(app, () => baseUrls(config, listeningPort(app, config)));
  const ownBaseUrl = () => urls()[config.environment];

  observer.watch(app);
  app.addHook('onRequest', function announce(request, reply, done) {
    announceDeprecation(request.route.config, responseOf(reply), ownBaseUrl);
    done();
  });
  app.addHook('onRequest', checkHead);
  cors.respondToPreflights(app);
  app.addHook('onRequest', function refuseUnknown(request, reply, done) {
    // Before the body is read: there is nothing at this path, whatever the body says. The router would take the empty
    // text behind a last slash for a parameter.
    done(cannotBePath(request.url) ? pathNotFound() : otherMethods.errorFor(request, reply));
  });
  app.setErrorHandler<FastifyError>(onError);

  closeGracefully(app, () => {
    fastPath.close();
    faults?.close();
    overload.endConnections();
  });
  app.addHook('onClose', () => usage.close());

  otherMethods.watch(app);
  collectOperations(app, config.stability, schemas, { hasSandboxes });

  app.register(apiRoutes, {
    ...{ config, store, sandboxStores, log, metrics, authentication, check, fastPath },
    ...{ faults, isCutOff, now },
    baseUrl: ownBaseUrl,
    prefix: '/v1',
  });
  app.register(mcpRoutes, {
    ...{ authentication, check, isCutOff, baseUrls: urls, now },
    origins: () => [new URL(ownBaseUrl()).origin, ...config.corsOrigins],
  });
  app.register(documentRoutes, { prefix: '/v1', baseUrls: urls, now });
  app.register(referenceRoutes, { baseUrls: urls, origin: publicOrigin(config), now });
  app.register(textRoutes, { baseUrls: urls, now });
  app.register(errorPages);
  app.register(healthRoutes, { readiness });
  const { hasMetrics, metricsToken: token } = config;
  if (hasMetrics) app.register(metricsRoutes, { metrics, token, ofAll: deps.metricsOfAll });

  return app;
}

function failuresOf(
  { authFailuresPerMinute }: Config,
  now: () => number,
  shared: SharedLimits | undefined,
): FailedAuthentications | undefined {
  if (authFailuresPerMinute === 0) return undefined;
  const failures = new FailedAuthentications(authFailuresPerMinute, now, shared?.failures.tell);
  if (shared) {
    failures.adopt(shared.failures.known);
    shared.failures.onEvent((event) => failures.hear(event));
  }
  return failures;
}

function limiterOf(
  { rateLimit, rateLimitWindowSeconds: windowSeconds }: Config,
  { sharedQuotas }: Store,
  now: () => number,
  shared: SharedLimits | undefined,
): RateLimiter | undefined {
  if (rateLimit === 0) return undefined;
  const quota = { requests: rateLimit * windowSeconds, windowSeconds };
  const limiter = new RateLimiter({ quota, shared: sharedQuotas ?? shared?.quotas, now });
  shared?.onRecall((keyId) => limiter.returnUnused(keyId));
  return limiter;
}

/**
 * Passed when the framework starts, and not set later, so that the framework does not load its own compilers. Its type
 * names the compiler of another library.
 */
function compilers(schemas: readonly Named[]): Compilers {
  const byId = Object.fromEntries(schemas.map((schema) => [schema.$id, schema]));
  return {
    buildValidator: (() => validatorCompiler(byId)) as unknown as Compilers['buildValidator'],
    // Response schemas are for the document alone: responses are finished text when they are sent.
    buildSerializer: () => () => JSON.stringify,
  } as Compilers;
}

/** Computes a value anew until the server listens, and once from then on: the address stays the same then. */
function onceListening<T>(app: FastifyInstance, compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    if (value !== undefined) return value;
    const current = compute();
    if (app.server.listening) value = current;
    return current;
  };
}
