import type { IncomingMessage } from 'node:http';
import { countHeader, isAuthority } from '@petstore/http/request-head.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { ActiveKey } from '../keys/key.ts';
import { isOffered, type StabilityLevel } from '../stability.ts';
import type { Changes } from '../store/store.ts';
import type { FastRouteCounts } from '../telemetry/http-metrics.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import { readTraceContext } from '../telemetry/tracing.ts';
import type { Authentication } from './admission/authentication.ts';
import type { Check } from './admission/check.ts';
import { announceDeprecation } from './admission/deprecation.ts';
import type { Representation } from './conditional.ts';
import type { RespondWithError } from './error-handler.ts';
import { parseJsonBody } from './json-body.ts';
import { type Created, respondCreated } from './json-response.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { JSON_ALONE } from './request-checks.ts';
import type { Handler, ServiceResponse } from './service-response.ts';
import { pathReader, type Validator, validator } from './validation.ts';

/** What a GET is asked for, validated. */
interface ReadInput {
  readonly params?: unknown;
  readonly query?: unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a GET responds with; may throw ApiError. Puts the route on the fast path, if its path has no parameter,
     * or ends in its only one and that is an int64.
     */
    read?(input: ReadInput): Representation | Promise<Representation>;
    /** Adds what the body of a POST describes, for good; may throw ApiError. Puts the route on the fast path. */
    create?(body: unknown): Promise<Created>;
  }
}

type Read = NonNullable<FastifyContextConfig['read']>;
type Create = NonNullable<FastifyContextConfig['create']>;

/** Targets remembered at most, and how long each may be. */
const MAX_TARGETS = 1_000;
const MAX_TARGET_LENGTH = 500;

/** What may stand for an int64 at the end of a path here. The router reads all else. */
const PLAIN_INTEGER = /^-?\d{1,19}$/;

/** Reads that are done together at most: the first of them waits for the last. */
const MAX_TOGETHER = 64;

/** A route that is on the fast path, and where its requests are counted. */
interface FastRoute extends FastRouteCounts {
  readonly config: FastifyContextConfig;
}

interface CreateRoute extends FastRoute {
  readonly create: Create;
  /** Media types of the body. */
  readonly bodyTypes: readonly string[];
  readonly validate: Validator;
}

/** A read whose route is known, and what it is asked for. */
interface Target {
  readonly route: FastRoute & { readonly read: Read };
  readonly input: ReadInput;
}

/** A read that waits for the end of this turn of the event loop. */
interface WaitingRead {
  readonly response: ServiceResponse;
  readonly target: Target;
}

export interface FastPathDeps {
  /** Undefined where the store cannot tell of changes; then every request meets the router. */
  readonly changes: Changes | undefined;
  readonly authentication: Authentication;
  /** What a request with an active key has to pass. */
  readonly check: Check;
  readonly observer: RequestObserver;
  readonly respondWithError: RespondWithError;
  /** Whether a request was answered, and its connection ended, while it was still arriving. */
  readonly isCutOff: (request: IncomingMessage) => boolean;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** Routes that are not offered at this level are left to the router, which says that nothing is there. */
  readonly stability: StabilityLevel;
}

/**
 * Answers the plainest requests in front of the router, whose work costs as much as all else. Plain is what
 * says nothing out of the ordinary in its head: one Host, one Authorization header that was found good since
 * the last commit of anyone, no condition, and for a POST a JSON body whose length is known.
 *
 * Such a request meets the checks of admission that it would meet behind the router, and then what its route's
 * config names: `read` or `create`. Whatever those throw is told in the same words. A request that is not
 * plain meets the router, with nothing done.
 *
 * Reads that arrive in one turn of the event loop are answered together at its end. So the store is asked once
 * for all of them whether anything changed, and their clients are woken up in one go: to write to the socket
 * of a client that sleeps costs as much as all else that a response takes.
 */
export class FastPath {
  readonly #deps: FastPathDeps;
  /** Gives the target that an integer behind a path stands for, by that path. */
  readonly #readsBelow = new Map<string, (integer: string) => Target>();
  /** Targets of reads, as requests that met the router had them. */
  readonly #targets = new Map<string, Target>();
  readonly #creates = new Map<string, CreateRoute>();
  #waiting: WaitingRead[] = [];
  /** When the first of those that wait arrived, in milliseconds. */
  #waitingSince = 0;
  #isClosed = false;

  constructor(deps: FastPathDeps) {
    this.#deps = deps;
  }

  /** Takes on those of the routes that are added from here on whose config asks for it. */
  watch(app: FastifyInstance): void {
    if (!this.#deps.changes) return;
    app.addHook('onRoute', (options) => {
      const { config = {}, method } = options;
      if (!isOffered(config, this.#deps.stability)) return;
      if (method === 'GET' && config.read) this.#addRead(options, config.read);
      if (method === 'POST' && config.create) {
        const validate = validator(
          options.schema?.body as TSchema,
          app.getSchemas() as Record<string, TSchema>,
          { isText: false },
        );
        const { create, bodyTypes = JSON_ALONE } = config;
        this.#creates.set(options.url, { ...this.#routeOf(options), create, bodyTypes, validate });
      }
    });
  }

  /** Lets all requests meet the router from now on, which tells clients that the connection ends. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers plain reads, at the end of this turn of the event loop, and leaves the rest to the router. */
  readsBefore(router: Handler): Handler {
    const readAll = () => this.#readAll(router);
    return (request, response) => {
      const target = this.#plainRead(request);
      if (!target || !response.shouldKeepAlive) return router(request, response);
      if (this.#waiting.length === 0) {
        this.#waitingSince = performance.now();
        setImmediate(readAll);
      }
      if (this.#waiting.push({ response, target }) === MAX_TOGETHER) readAll();
    };
  }

  /** Answers plain creates, and leaves the rest to the router. */
  createsBefore(router: Handler): Handler {
    return (request, response) => {
      const route = this.#plainCreate(request);
      const key = route && this.#deps.authentication.knownKey(request.headers.authorization ?? '');
      if (route && key && !this.#isClosed) this.#create(route, key, response);
      else router(request, response);
    };
  }

  #routeOf({ url, method, config = {} }: RouteOptions): FastRoute {
    return { config, ...this.#deps.observer.countsOf(`${method}`, url) };
  }

  #addRead(options: RouteOptions, read: Read): void {
    const route = { ...this.#routeOf(options), read };
    const parameterAt = route.pattern.indexOf(':');
    if (parameterAt === -1) {
      const rememberTarget: preHandlerHookHandler = ({ originalUrl, query }, _reply, done) => {
        this.#remember(originalUrl, { route, input: { query } });
        done();
      };
      options.preHandler = [options.preHandler ?? [], rememberTarget].flat();
    } else if (!route.pattern.includes('/', parameterAt)) {
      const prefix = route.pattern.slice(0, parameterAt);
      const name = route.pattern.slice(parameterAt + 1);
      const readParams = pathReader(options.schema?.params as TSchema);
      this.#readsBelow.set(prefix, (text) => {
        const { value: params } = readParams({ [name]: text });
        return { route, input: { params } };
      });
    }
  }

  #remember(url: string, target: Target): void {
    // An absolute one names a host, which has to be looked at each time.
    if (url.length > MAX_TARGET_LENGTH || !url.startsWith('/')) return;
    this.#targets.set(url, target);
    // The oldest goes; if it is in demand it comes back with the next request.
    const [oldest = ''] = this.#targets.keys();
    if (this.#targets.size > MAX_TARGETS) this.#targets.delete(oldest);
  }

  #targetOf(url: string): Target | undefined {
    const known = this.#targets.get(url);
    if (known) return known;
    const at = url.lastIndexOf('/') + 1;
    const below = this.#readsBelow.get(url.slice(0, at));
    if (!below) return undefined;
    const last = url.slice(at);
    return PLAIN_INTEGER.test(last) ? below(last) : undefined;
  }

  #plainRead(request: IncomingMessage): Target | undefined {
    const { method, headers, url = '' } = request;
    const isPlain =
      method === 'GET' &&
      headers['content-length'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.authorization !== undefined &&
      this.#deps.authentication.isKnown(headers.authorization) &&
      isPlainHead(request);
    return isPlain ? this.#targetOf(url) : undefined;
  }

  #plainCreate(request: IncomingMessage): CreateRoute | undefined {
    const { method, headers, rawHeaders, url = '' } = request;
    const route = method === 'POST' ? this.#creates.get(url) : undefined;
    const isPlain =
      route?.bodyTypes.includes(headers['content-type'] ?? '') &&
      // Without one, NaN. One beside a transfer coding got no further than the parser.
      Number(headers['content-length']) <= MAX_BODY_BYTES &&
      headers['content-encoding'] === undefined &&
      headers['idempotency-key'] === undefined &&
      countHeader(rawHeaders, 'content-type') === 1 &&
      isPlainHead(request);
    return isPlain ? route : undefined;
  }

  #readAll(router: Handler): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const rest: ServiceResponse[] = [];
    this.#deps.changes?.atOneMoment(() => {
      for (const { response, target } of waiting) {
        // Its client has gone meanwhile, and nothing would tell of it any more.
        if (response.req.socket.destroyed) continue;
        const key = this.#deps.authentication.knownKey(response.req.headers.authorization ?? '');
        if (key && !this.#isClosed) this.#read(target, key, response);
        else rest.push(response);
      }
    });
    for (const response of rest) router(response.req, response);
  }

  #read({ route, input }: Target, key: ActiveKey, response: ServiceResponse): void {
    const { observer, check, baseUrl } = this.#deps;
    let read: Representation | Promise<Representation>;
    try {
      announceDeprecation(route.config, response, baseUrl);
      const pending = check({ key, route: route.config, response });
      read = pending ? pending.then(() => route.read(input)) : route.read(input);
    } catch (error) {
      read = Promise.reject(error);
    }
    if (read instanceof Promise) {
      observer.follow(route, response, key, this.#waitingSince);
      this.#finishRead(read, response);
    } else {
      respondWith(response, read);
      observer.answered(route, response, key, this.#waitingSince);
    }
  }

  async #finishRead(read: Promise<Representation>, response: ServiceResponse): Promise<void> {
    try {
      respondWith(response, await read);
    } catch (error) {
      this.#fail(error, response);
    }
  }

  async #create(route: CreateRoute, key: ActiveKey, response: ServiceResponse): Promise<void> {
    const { observer, check, baseUrl, isCutOff } = this.#deps;
    const { req: request } = response;
    observer.follow(route, response, key, performance.now());
    try {
      announceDeprecation(route.config, response, baseUrl);
      const pending = check({ key, route: route.config, response });
      if (pending) await pending;
      const bytes = await bodyOf(request);
      // A body that still comes behind a 408 must not be carried out.
      if (isCutOff(request)) return;
      const validation = route.validate(parseJsonBody(bytes));
      if ('error' in validation) throw validation.error;
      respondCreated(response, await route.create(validation.value));
    } catch (error) {
      this.#fail(error, response);
    }
  }

  #fail(error: unknown, response: ServiceResponse): void {
    this.#deps.respondWithError(error, response, readTraceContext(response.req.headers)?.traceId);
  }
}

/** Whether the head of a request says nothing that the router's hooks would have to think about. */
function isPlainHead({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' &&
    headers['if-match'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers.expect === undefined &&
    countHeader(rawHeaders, 'authorization') === 1 &&
    countHeader(rawHeaders, 'host') === 1 &&
    isAuthority(headers.host ?? '')
  );
}

function respondWith(response: ServiceResponse, { lines, body, encoding }: Representation): void {
  response.respond(200, lines, body, encoding);
}

/** Never settles for a client that goes away in between. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    request.on('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
  });
}
