import type { IncomingMessage } from 'node:http';
import type { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { FastifyPluginAsync } from 'fastify';
import { categoriesRoutes } from './categories/categories-routes.ts';
import type { Config } from './config.ts';
import { eventsRoutes } from './events/events-routes.ts';
import { limitEvents } from './events/retention.ts';
import { EventStreams } from './events/streams/event-streams.ts';
import type { FaultInjector } from './faults/faults.ts';
import { faultsRoutes, operationsWithFaults } from './faults/faults-routes.ts';
import { admission } from './http/admission/admission.ts';
import type { Authentication } from './http/admission/authentication.ts';
import type { Check } from './http/admission/check.ts';
import { expectScope } from './http/admission/scope.ts';
import { requestTimeout } from './http/api-error.ts';
import type { FastPath } from './http/fast-path.ts';
import { parseJsonBody } from './http/json-body.ts';
import { letBodyBeOmitted } from './http/optional-body.ts';
import { checkBodyHeaders } from './http/request-checks.ts';
import { idempotencyReader, keepBody } from './idempotency/idempotency-key-header.ts';
import { limitResults } from './idempotency/retention.ts';
import { ordersRoutes } from './orders/orders-routes.ts';
import { petQueriesRoutes } from './pets/pet-queries-routes.ts';
import { petsRoutes } from './pets/pets-routes.ts';
import { othersAtWork } from './report/challenges/others-at-work.ts';
import { Recorder } from './report/recorder.ts';
import { reportRoutes } from './report/report-routes.ts';
import { ownSandboxRoutes } from './sandboxes/own-sandbox-routes.ts';
import { sandboxesRoutes } from './sandboxes/sandboxes-routes.ts';
import { sweepSandboxes } from './sandboxes/sweep.ts';
import type { SandboxStores } from './store/sandbox/sandbox-stores.ts';
import type { Store } from './store/store.ts';
import { DeliveryService } from './webhooks/delivery/delivery-service.ts';
import { webhooksRoutes } from './webhooks/webhooks-routes.ts';

const MS_PER_HOUR = 3_600_000;

interface ApiDeps {
  readonly config: Config;
  readonly store: Store;
  /** Undefined where the service has no sandboxes. */
  readonly sandboxStores: SandboxStores | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly authentication: Authentication;
  /** What a request with an active key has to pass. */
  readonly check: Check;
  readonly fastPath: FastPath;
  /** Injects faults into requests with keys of sandboxes; undefined where the service has no sandboxes. */
  readonly faults: FaultInjector | undefined;
  /** Whether the service responded to a request, and ended its connection, while the request was still arriving. */
  readonly isCutOff: (request: IncomingMessage) => boolean;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Every operation that needs a key, behind what they have in common: admission and the body. The fast path does not run
 * hooks that are added here, so a check of requests belongs to admissionChecks.
 */
export const apiRoutes: FastifyPluginAsync<ApiDeps> = async (api, deps) => {
  const { config, store, sandboxStores, log, metrics, authentication, check, fastPath } = deps;
  const { faults, isCutOff, baseUrl, now } = deps;

  // The framework's promise that every request has the same shape.
  api.decorateRequest('apiKey');
  api.decorateRequest('store');
  api.decorateRequest('bodyBytes');
  // In front of admission, so that requests that it refuses are recorded as well.
  const recorder = sandboxStores && recorderOf(deps);
  recorder?.watch(api);
  api.addHook(
    'onRequest',
    admission(authentication, check, ({ sandbox }) =>
      sandbox && sandboxStores ? sandboxStores.storeOf(sandbox.id) : store,
    ),
  );
  if (faults) api.addHook('onRequest', faults.hook);
  api.addHook('onRoute', expectScope);
  api.addHook('onRoute', letBodyBeOmitted);
  const operations = operationsWithFaults(api, config.stability);
  const keptMs = config.idempotencyHours * MS_PER_HOUR;
  const perOwner = config.idempotencyResponsesPerKey;
  const limitResultsOf = limitResults(api, {
    results: store.idempotentResults,
    keptMs,
    perOwner,
    now,
    log,
  });
  const idempotencyOf = idempotencyReader({ keptMs, now, onIdempotencyKey: limitResultsOf });
  fastPath.watch(api, { idempotencyOf, baseUrl });
  api.addHook('preParsing', checkBodyHeaders);
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      // The service has responded 408 already: a body that arrives after that must not be carried out.
      if (isCutOff(request.raw)) return done(requestTimeout());
      const { hasNestedIntegers, isBodyOptional } = request.route.config;
      // Many clients send a Content-Type also with requests that have no body.
      const isAbsent = body.length === 0 && (isBodyOptional || !request.route.schema?.body);
      keepBody(request, body);
      recorder?.sawBody(request, body);
      try {
        done(null, isAbsent ? undefined : parseJsonBody(body, hasNestedIntegers));
      } catch (error) {
        done(error as ApiError);
      }
    },
  );

  const { events: logs, sandboxes } = store;
  if (sandboxStores) sweepSandboxes(api, { sandboxes, now, log });
  const { maxEventStreams: maxStreams, maxEventStreamsPerKey: maxStreamsOfKey } = config;
  const streams = new EventStreams({ logs, log, metrics, maxStreams, maxStreamsOfKey });
  api.addHook('preClose', async () => streams.close());
  limitEvents(api, {
    ...{ logs, log, keptMs: config.eventsHours * MS_PER_HOUR, maxBytes: config.eventsMaxBytes },
  });
  const deliveries = new DeliveryService({ config, store, log, metrics });
  const stopping = new AbortController();
  api.addHook('onReady', async () => deliveries.start());
  api.addHook('preClose', async () => stopping.abort());
  api.addHook('onClose', () => deliveries.close());
  if (recorder) api.addHook('preHandler', othersAtWork(store.reports));

  api.register(petsRoutes, { idempotencyOf, baseUrl });
  api.register(petQueriesRoutes, { baseUrl });
  api.register(categoriesRoutes, { idempotencyOf, baseUrl });
  api.register(ordersRoutes, { idempotencyOf, baseUrl, now });
  if (sandboxStores) {
    api.register(sandboxesRoutes, {
      ...{ sandboxes, isOpen: config.sandboxes === 'open', baseUrl, now },
      ...{ max: config.maxSandboxes, perHour: config.sandboxesPerHour },
    });
    api.register(ownSandboxRoutes, { sandboxes, stores: sandboxStores, now });
    api.register(faultsRoutes, { faults: store.faults, operations, baseUrl });
  }
  api.register(eventsRoutes, { logs, streams, authentication, baseUrl });
  if (recorder) {
    const allowsPrivate = config.webhookPrivateAddresses === 'allow';
    api.register(reportRoutes, {
      ...{ store, recorder, operations, allowsPrivate, stopping: stopping.signal, now },
    });
  }
  api.register(webhooksRoutes, {
    ...{ config, store, baseUrl, now, stopping: stopping.signal },
    onChange: () => void deliveries.wake(),
  });
};

function recorderOf({ store: { reports, sandboxes }, faults, log }: ApiDeps): Recorder {
  return new Recorder({
    store: reports,
    sandboxOf: async (hash) => (await sandboxes.findByKey(hash))?.id,
    faultOf: (response) => faults?.appliedTo(response),
    log,
  });
}
