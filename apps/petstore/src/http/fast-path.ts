import type { IncomingMessage } from 'node:http';
import { countHeader, isAuthority } from '@petstore/http/request-head.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import { FAULT_HEADER } from '../faults/fault-headers.ts';
import type { IdempotencyOf, RequestedIdempotency } from '../idempotency/idempotency-key-header.ts';
import type { ActiveKey } from '../keys/key.ts';
import { isOffered, type StabilityLevel } from '../stability.ts';
import type { IdempotentResult } from '../store/contract/idempotency.ts';
import type { Changes, ResourceStore } from '../store/store.ts';
import type { FastRouteCounts } from '../telemetry/http-metrics.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import { readTraceContext } from '../telemetry/tracing.ts';
import type { Authentication } from './admission/authentication.ts';
import type { Check } from './admission/check.ts';
import { announceDeprecation } from './admission/deprecation.ts';
import type { Representation } from './conditional.ts';
import type { RespondWithError } from './error-handler.ts';
import { parseJsonBody } from './json-body.ts';
import { respondCreated } from './json-response.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { JSON_ALONE } from './request-checks.ts';
import type { Handler, ServiceResponse } from './service-response.ts';
import { pathReader, type Validator, validator } from './validation.ts';

/** The parameters of a GET, validated. */
interface ReadInput {
  readonly params?: unknown;
  readonly query?: unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The response to a GET; may throw ApiError. It puts the route on the fast path, if the path has no parameter, or
     * ends in its only one and that is an int64.
     */
    read?(input: ReadInput, store: ResourceStore): Representation | Promise<Representation>;
    /**
     * Adds the item in the body of a POST, durably, and once where there is an Idempotency-Key; may throw ApiError. It
     * puts the route on the fast path.
     */
    create?(
      body: unknown,
      store: ResourceStore,
      idempotency: RequestedIdempotency | undefined,
    ): Promise<IdempotentResult>;
  }
}

type Read = NonNullable<FastifyContextConfig['read']>;
export type Create = NonNullable<FastifyContextConfig['create']>;

/** Targets remembered at most, and how long each may be. */
const MAX_TARGETS = 1_000;
const MAX_TARGET_LENGTH = 500;

/** The int64 at the end of a path as the fast path accepts it. The router reads all other spellings. */
const PLAIN_INTEGER = /^-?\d{1,19}$/;

/** The most requests that are served together: the first of them waits for the last. */
const MAX_TOGETHER = 64;

/** A route that is on the fast path, and where its requests are counted. */
interface FastRoute extends FastRouteCounts {
  readonly config: FastifyContextConfig;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

interface CreateRoute extends FastRoute {
  readonly create: Create;
  /** Media types of the body. */
  readonly bodyTypes: readonly string[];
  readonly validate: Validator;
  readonly idempotencyOf: IdempotencyOf;
}

/** A read whose route and parameters are known. */
interface Target {
  readonly route: FastRoute & { readonly read: Read };
  readonly input: ReadInput;
}

/** A plain request that waits for the end of this turn of the event loop. */
interface Waiting {
  readonly response: ServiceResponse;
  /** What serves it. */
  readonly work: Target | CreateRoute;
  /** What serves it where the fast path cannot: its key may open nothing any more. */
  readonly router: Handler;
}

export interface FastPathDeps {
  /**
   * Undefined turns the fast path off: the store cannot tell of changes, or every request shall show in logs or traces.
   */
  readonly changes: Changes | undefined;
  /** The service's own, since a key of a sandbox is never a known one. */
  readonly store: ResourceStore;
  readonly authentication: Authentication;
  /** The checks of a request with an active key. */
  readonly check: Check;
  readonly observer: RequestObserver;
  readonly respondWithError: RespondWithError;
  /** Whether the service responded to a request, and ended its connection, while the request was still arriving. */
  readonly isCutOff: (request: IncomingMessage) => boolean;
  /** Routes that are not offered at this level are left to the router, which responds with 404. */
  readonly stability: StabilityLevel;
}

/**
 * Serves plain requests in front of the router, whose work costs as much as all the rest. A plain request has one Host,
 * one Authorization header that was found valid before, no condition, and for a POST a JSON body of known length.
 *
 * Such a request passes the checks of admission that it would pass behind the router, and then goes to the `read` or
 * `create` of its route's config. Errors become the same responses. A request that is not plain goes to the router,
 * with nothing done.
 *
 * Requests that arrive in one turn of the event loop are served together at its end. So the store is asked once for all
 * of them whether anything changed, and the clients of reads are woken up in one go: to write to the socket of a client
 * that sleeps costs as much as everything else in a response. By then the body of a create has mostly arrived.
 */
export class FastPath {
  readonly #deps: FastPathDeps;
  /** Returns the target for an integer at the end of a path, by the part of the path before it. */
  readonly #readsBelow = new Map<string, (integer: string) => Target>();
  /** Targets of reads that have passed the router before. */
  readonly #targets = new Map<string, Target>();
  readonly #creates = new Map<string, CreateRoute>();
  #waiting: Waiting[] = [];
  /** When the first of them arrived, in milliseconds by `performance.now()`. */
  #waitingSince = 0;
  #isClosed = false;

  constructor(deps: FastPathDeps) {
    this.#deps = deps;
  }

  /** Adds those routes, of all that are registered from here on, whose config asks for the fast path. */
  watch(
    app: FastifyInstance,
    { idempotencyOf, baseUrl }: { idempotencyOf: IdempotencyOf; baseUrl: () => string },
  ): void {
    if (!this.#deps.changes) return;
    app.addHook('onRoute', (options) => {
      const { config = {}, method } = options;
      if (!isOffered(config, this.#deps.stability)) return;
      if (method === 'GET' && config.read)
        this.#addRead({ ...this.#routeOf(options, baseUrl), read: config.read }, options);
      if (method === 'POST' && config.create) {
        const validate = validator(
          options.schema?.body as TSchema,
          app.getSchemas() as Record<string, TSchema>,
          { isText: false },
        );
        const { create, bodyTypes = JSON_ALONE } = config;
        this.#creates.set(options.url, {
          ...this.#routeOf(options, baseUrl),
          ...{ create, bodyTypes, validate, idempotencyOf },
        });
      }
    });
  }

  /** Sends all requests to the router from now on, which tells clients that the connection ends. */
  close(): void {
    this.#isClosed = true;
  }

  /** Serves plain reads, and leaves the rest to the router. */
  readsBefore(router: Handler): Handler {
    return (request, response) => {
      const work = this.#plainRead(request);
      if (work) this.#serveSoon({ response, work, router });
      else router(request, response);
    };
  }

  /** Serves plain creates, and leaves the rest to the router. */
  createsBefore(router: Handler): Handler {
    return (request, response) => {
      const work = this.#plainCreate(request);
      if (work) this.#serveSoon({ response, work, router });
      else router(request, response);
    };
  }

  #routeOf({ url, method, config = {} }: RouteOptions, baseUrl: () => string): FastRoute {
    return { config, baseUrl, ...this.#deps.observer.countsOf(`${method}`, url) };
  }

  #addRead(route: Target['route'], options: RouteOptions): void {
    const { url } = options;
    const parameterAt = url.indexOf(':');
    if (parameterAt === -1) {
      const rememberTarget: preHandlerHookHandler = ({ originalUrl, query }, _reply, done) => {
        this.#remember(originalUrl, { route, input: { query } });
        done();
      };
      options.preHandler = [options.preHandler ?? [], rememberTarget].flat();
    } else if (!url.includes('/', parameterAt)) {
      const prefix = url.slice(0, parameterAt);
      const name = url.slice(parameterAt + 1);
      const readParams = pathReader(options.schema?.params as TSchema);
      this.#readsBelow.set(prefix, (text) => {
        const { value: params } = readParams({ [name]: text });
        return { route, input: { params } };
      });
    }
  }

  #remember(url: string, target: Target): void {
    // The host in an absolute target has to be checked each time.
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
      this.#isPlain(request);
    return isPlain ? this.#targetOf(url) : undefined;
  }

  #plainCreate(request: IncomingMessage): CreateRoute | undefined {
    const { method, headers, rawHeaders, url = '' } = request;
    const route = method === 'POST' ? this.#creates.get(url) : undefined;
    const isPlain =
      route?.bodyTypes.includes(headers['content-type'] ?? '') &&
      // Without a Content-Length, NaN. A request with one and a transfer coding does not get past the parser.
      Number(headers['content-length']) <= MAX_BODY_BYTES &&
      headers['content-encoding'] === undefined &&
      countHeader(rawHeaders, 'content-type') === 1 &&
      this.#isPlain(request);
    return isPlain ? route : undefined;
  }

  #isPlain(request: IncomingMessage): boolean {
    const { authorization } = request.headers;
    return (
      authorization !== undefined &&
      this.#deps.authentication.isKnown(authorization) &&
      isPlainHead(request)
    );
  }

  #serveSoon(waiting: Waiting): void {
    if (this.#waiting.length === 0) {
      this.#waitingSince = performance.now();
      setImmediate(this.#serveAll);
    }
    if (this.#waiting.push(waiting) === MAX_TOGETHER) this.#serveAll();
  }

  readonly #serveAll = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    const creates: { route: CreateRoute; key: ActiveKey; response: ServiceResponse }[] = [];
    const rest: Waiting[] = [];
    this.#deps.changes?.atOneMoment(() => {
      for (const request of waiting) {
        const { response, work } = request;
        // The client has disconnected: its response would never emit `close`, and would count as in flight for ever.
        if (response.req.socket.destroyed) continue;
        const key = this.#deps.authentication.knownKey(response.req.headers.authorization ?? '');
        if (!key || this.#isClosed) rest.push(request);
        else if ('input' in work) this.#read(work, key, response);
        else creates.push({ route: work, key, response });
      }
    });
    // They write, which nothing may at that moment.
    for (const { route, key, response } of creates) this.#create(route, key, response);
    for (const { response, router } of rest) router(response.req, response);
  };

  #read({ route, input }: Target, key: ActiveKey, response: ServiceResponse): void {
    const { store, observer, check } = this.#deps;
    let read: Representation | Promise<Representation>;
    try {
      announceDeprecation(route.config, response, route.baseUrl);
      const pending = check({ key, config: route.config, response });
      read = pending ? pending.then(() => route.read(input, store)) : route.read(input, store);
    } catch (error) {
      read = Promise.reject(error);
    }
    if (read instanceof Promise) {
      observer.follow(route, response, key, this.#waitingSince);
      this.#finishRead(read, response);
    } else {
      respondWith(response, read);
      observer.served(route, response, key, this.#waitingSince);
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
    const { store, observer, check, isCutOff } = this.#deps;
    const { req: request } = response;
    observer.follow(route, response, key, this.#waitingSince);
    try {
      announceDeprecation(route.config, response, route.baseUrl);
      const pending = check({ key, config: route.config, response });
      if (pending) await pending;
      const bytes = request.complete ? arrivedBody(request) : await bodyOf(request);
      // The service has responded 408 already: a body that arrives after that must not be carried out.
      if (isCutOff(request)) return;
      const validation = route.validate(parseJsonBody(bytes));
      if ('error' in validation) throw validation.error;
      const idempotency = route.idempotencyOf(request, key, bytes);
      respondCreated(response, await route.create(validation.value, store, idempotency));
    } catch (error) {
      this.#fail(error, response);
    }
  }

  #fail(error: unknown, response: ServiceResponse): void {
    this.#deps.respondWithError(error, response, readTraceContext(response.req.headers)?.traceId);
  }
}

/** Whether the head of a request has nothing that the hooks of the router would handle. */
function isPlainHead({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' &&
    headers['if-match'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers.expect === undefined &&
    headers[FAULT_HEADER] === undefined &&
    countHeader(rawHeaders, 'authorization') === 1 &&
    countHeader(rawHeaders, 'host') === 1 &&
    isAuthority(headers.host ?? '')
  );
}

function respondWith(response: ServiceResponse, { lines, body, encoding }: Representation): void {
  response.respond(200, lines, body, encoding);
}

/** The body of a request that has arrived to its end, and that nobody has read from. */
function arrivedBody(request: IncomingMessage): Buffer {
  return (request.read() as Buffer | null) ?? Buffer.alloc(0);
}

/** The body of a request. The promise never settles if the client disconnects first. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    request.on('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
  });
}
