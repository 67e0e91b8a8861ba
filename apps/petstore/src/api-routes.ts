import type { IncomingMessage } from 'node:http';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyPluginAsync } from 'fastify';
import { categoriesRoutes } from './categories/categories-routes.ts';
import type { Config } from './config.ts';
import { type ApiError, requestTimeout } from './http/api-error.ts';
import { authenticate } from './http/authenticate.ts';
import { refuseRemoved } from './http/deprecation.ts';
import { idempotency, rememberBody } from './http/idempotency.ts';
import { parseJsonBody } from './http/json-body.ts';
import { boundAnswers } from './http/kept-answers.ts';
import { checkBodyHeaders } from './http/request-checks.ts';
import { requireScopes } from './http/require-scope.ts';
import type { ShortCreates } from './http/short-creates.ts';
import type { ShortWay } from './http/short-way.ts';
import type { KeyUsage } from './keys/key-usage.ts';
import { ordersRoutes } from './orders/orders-routes.ts';
import { petChangesRoutes } from './pets/pet-changes-routes.ts';
import { petsRoutes } from './pets/pets-routes.ts';
import { FailedAuthentications } from './rate-limits/failed-authentications.ts';
import { limitRequests } from './rate-limits/limit-requests.ts';
import type { RateLimiter } from './rate-limits/rate-limiter.ts';
import type { Store } from './store/store.ts';

const MS_PER_HOUR = 3_600_000;

interface ApiDeps {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly shortWay: ShortWay;
  readonly shortCreates: ShortCreates;
  /** Whether a request was answered, and its connection ended, while it was still arriving. */
  readonly isCutOff: (request: IncomingMessage) => boolean;
  readonly usage: KeyUsage;
  /** Undefined where keys have no limit. */
  readonly limiter: RateLimiter | undefined;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** The clock of limits, in milliseconds from any moment. */
  readonly elapsed: () => number;
}

/** Every operation that asks for a key, behind what they have in common: key, limit, scope, body. */
export const apiRoutes: FastifyPluginAsync<ApiDeps> = async (api, deps) => {
  const {
    config,
    store,
    log,
    shortWay,
    shortCreates,
    isCutOff,
    usage,
    limiter,
    baseUrl,
    now,
    elapsed,
  } = deps;
  const { environment, authFailuresPerMinute } = config;
  const failures =
    authFailuresPerMinute > 0
      ? new FailedAuthentications(authFailuresPerMinute, elapsed)
      : undefined;

  // The framework's promise that every request has the same shape.
  api.decorateRequest('apiKey');
  api.decorateRequest('bodyBytes');
  const { keys } = store;
  api.addHook('onRequest', authenticate({ keys, environment, shortWay, failures, usage, now }));
  if (limiter) api.addHook('onRequest', limitRequests(limiter));
  api.addHook('onRequest', refuseRemoved(now));
  api.addHook('onRoute', requireScopes);
  api.addHook('preParsing', checkBodyHeaders);
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      // A body that still comes behind a 408 must not be carried out.
      if (isCutOff(request.raw)) return done(requestTimeout());
      // Many clients name a type also where they send nothing, and nothing is asked for.
      const isUnwanted = body.length === 0 && !request.route.schema?.body;
      rememberBody(request, body);
      try {
        done(null, isUnwanted ? undefined : parseJsonBody(body));
      } catch (error) {
        done(error as ApiError);
      }
    },
  );

  const { pets, categories, orders, answers } = store;
  const keptMs = config.idempotencyHours * MS_PER_HOUR;
  const perOwner = config.idempotencyAnswersPerKey;
  const onKey = boundAnswers(api, { answers, keptMs, perOwner, now, log });
  const onceFor = idempotency({ keptMs, now, onKey });
  api.register(petsRoutes, { pets, onceFor, baseUrl, shortWay, shortCreates, now });
  api.register(petChangesRoutes, { pets });
  api.register(categoriesRoutes, { categories, onceFor, baseUrl });
  api.register(ordersRoutes, { orders, onceFor, baseUrl, now });
};
