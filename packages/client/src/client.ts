import createFetchClient from 'openapi-fetch';
import { Webhook as Signer } from 'standardwebhooks';
import { type EventsOptions, followEvents, type PetstoreEvent } from './events.ts';
import type { components, paths } from './generated/api.ts';
import type { ErrorCode } from './generated/error-codes.ts';
import { INT64_MEMBERS } from './generated/int64-members.ts';
import { KEYED_POSTS } from './generated/keyed-posts.ts';
import { type RetryOptions, retrying } from './retry.ts';
import { revalidating } from './revalidate.ts';
import { bounded } from './time-limit.ts';

type Schemas = components['schemas'];
export type Pet = Schemas['Pet'];
export type NewPet = Schemas['NewPet'];
export type PetPatch = Schemas['PetPatch'];
export type PetStatus = Schemas['PetStatus'];
export type PetFilter = Schemas['PetFilter'];
export type Category = Schemas['Category'];
export type Order = Schemas['Order'];
export type OrderStatus = Schemas['OrderStatus'];
export type EventType = Schemas['EventType'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type { EventsOptions, PetstoreEvent } from './events.ts';

export interface PetstoreOptions {
  /** The service's address, ending in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** By default 4 attempts, and waits of at most 10 seconds. */
  readonly retry?: Partial<RetryOptions>;
  /** How long an attempt may take, in milliseconds; 30 seconds by default. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

const DEFAULT_RETRY: RetryOptions = { attempts: 4, maxWaitMs: 10_000 };
const DEFAULT_TIMEOUT_MS = 30_000;
const PAGE_SIZE = 100;

/** The change is made only if the item is still as it was read; otherwise it is refused with 412. */
export interface Guard {
  /** What `get` or `update` returned, or its entity tag. */
  readonly ifStill?: object | string;
}

/** Which part of a list to return. */
export interface ListOptions<Status extends string> {
  readonly status?: Status;
  /** How many to request at a time, 1 to 100. */
  readonly pageSize?: number;
}

/**
 * A client of the service. 64-bit ids are bigints: a number would lose digits beyond 2^53, and a string
 * would let `id + 1` pass. Every call rejects with PetstoreError for what the service refuses, and with
 * the platform's own error where there is no response. What failed in passing is sent again, a POST only where its
 * operation takes an `Idempotency-Key`, with that of its first attempt; what was read before is asked for with its
 * entity tag.
 */
export function createPetstore({
  baseUrl,
  apiKey,
  retry = {},
  timeoutMs = DEFAULT_TIMEOUT_MS,
  fetch = globalThis.fetch,
}: PetstoreOptions) {
  const repeating = retrying(bounded(fetch, timeoutMs), { ...DEFAULT_RETRY, ...retry });
  const authorization = `Bearer ${apiKey}`;
  const client = createFetchClient<paths>({
    baseUrl,
    headers: { authorization },
    fetch: revalidating(repeating),
    bodySerializer: stringifyExact,
    querySerializer: (query) =>
      new URLSearchParams(
        Object.entries(query)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]): [string, string] => [name, String(value)]),
      ).toString(),
  });
  // A key makes a POST safe to repeat only where the service reads it.
  client.use({
    onRequest({ schemaPath, request }) {
      if (request.method !== 'POST' || !KEYED_POSTS.has(schemaPath)) return;
      request.headers.set('idempotency-key', crypto.randomUUID());
    },
  });

  return {
    pets: {
      /** Every animal in ascending order of id. Pages are requested as they are needed. */
      list: ({ status, pageSize = PAGE_SIZE }: ListOptions<PetStatus> = {}) =>
        pages<Pet>((cursor) =>
          client.GET('/pets', {
            params: { query: query({ limit: pageSize, status, cursor }) },
            ...TEXT,
          }),
        ),
      /**
       * Every animal that meets a filter, in ascending order of id: the method QUERY. Pages of `filter.limit` animals are
       * requested as they are needed.
       */
      query: (filter: PetFilter = {}) =>
        pages<Pet>(
          async (query) => {
            if (query !== undefined)
              return client.GET('/pets/queries/{query}', { params: { path: { query } }, ...TEXT });
            const response = await repeating(`${baseUrl}/pets`, {
              method: 'QUERY',
              headers: { authorization, 'content-type': 'application/json' },
              body: stringifyExact({ limit: PAGE_SIZE, ...filter }),
            });
            return response.ok
              ? { data: await response.text(), response }
              : { error: await response.json().catch(() => undefined), response };
          },
          (address) => address.pathname.split('/').at(-1),
        ),
      create: (pet: NewPet) => value<Pet>(client.POST('/pets', { body: pet, ...TEXT })),
      /** @deprecated The operation goes on 5 December 2030: use `list` with a status. */
      get: (petId: bigint) =>
        value<Pet>(client.GET('/pets/{petId}', { params: { path: { petId } }, ...TEXT })),
      /** Changes the members that the patch has. */
      update: (petId: bigint, patch: PetPatch, guard: Guard = {}) =>
        value<Pet>(
          client.PATCH('/pets/{petId}', {
            params: { path: { petId }, header: ifMatch(guard) },
            headers: PATCH,
            body: patch,
            ...TEXT,
          }),
        ),
      remove: (petId: bigint, guard: Guard = {}) =>
        nothing(
          client.DELETE('/pets/{petId}', {
            params: { path: { petId }, header: ifMatch(guard) },
            ...TEXT,
          }),
        ),
    },
    categories: {
      list: ({ pageSize = PAGE_SIZE }: { readonly pageSize?: number } = {}) =>
        pages<Category>((cursor) =>
          client.GET('/categories', {
            params: { query: query({ limit: pageSize, cursor }) },
            ...TEXT,
          }),
        ),
      create: (category: { name: string }) =>
        value<Category>(client.POST('/categories', { body: category, ...TEXT })),
      get: (categoryId: bigint) =>
        value<Category>(
          client.GET('/categories/{categoryId}', { params: { path: { categoryId } }, ...TEXT }),
        ),
      update: (categoryId: bigint, patch: { name?: string }, guard: Guard = {}) =>
        value<Category>(
          client.PATCH('/categories/{categoryId}', {
            params: { path: { categoryId }, header: ifMatch(guard) },
            headers: PATCH,
            body: patch,
            ...TEXT,
          }),
        ),
      remove: (categoryId: bigint, guard: Guard = {}) =>
        nothing(
          client.DELETE('/categories/{categoryId}', {
            params: { path: { categoryId }, header: ifMatch(guard) },
            ...TEXT,
          }),
        ),
    },
    orders: {
      list: ({ status, pageSize = PAGE_SIZE }: ListOptions<OrderStatus> = {}) =>
        pages<Order>((cursor) =>
          client.GET('/store/orders', {
            params: { query: query({ limit: pageSize, status, cursor }) },
            ...TEXT,
          }),
        ),
      /** Orders an available animal; it becomes pending with it. */
      place: (petId: bigint) =>
        value<Order>(client.POST('/store/orders', { body: { petId }, ...TEXT })),
      get: (orderId: bigint) =>
        value<Order>(
          client.GET('/store/orders/{orderId}', { params: { path: { orderId } }, ...TEXT }),
        ),
      /** The animal is sold. */
      complete: (orderId: bigint) =>
        value<Order>(
          client.POST('/store/orders/{orderId}/complete', {
            params: { path: { orderId } },
            ...TEXT,
          }),
        ),
      /** The animal is available again. */
      cancel: (orderId: bigint) =>
        value<Order>(
          client.POST('/store/orders/{orderId}/cancel', { params: { path: { orderId } }, ...TEXT }),
        ),
    },
    /**
     * What happens to animals and orders, as it happens, for as long as the loop goes on. It connects anew where it must
     * and misses nothing. Throws PetstoreError `events_expired` where events after the position are no longer kept.
     */
    events: (options: EventsOptions = {}) =>
      followEvents(
        {
          parse: parseExact,
          isFinal: (error) =>
            error instanceof PetstoreError &&
            error.status < 500 &&
            ![408, 429].includes(error.status),
          async connect(after, signal) {
            const isId = after !== undefined && after !== 'latest';
            const headers = {
              authorization: `Bearer ${apiKey}`,
              accept: 'application/jsonl',
              ...(isId && { 'last-event-id': after }),
            };
            const address = `${baseUrl}/events${after === 'latest' ? '?after=latest' : ''}`;
            const response = await fetch(address, { headers, signal });
            if (response.ok) return response;
            const error: unknown = await response.json().catch(() => undefined);
            okOrThrow({ error, response });
            return response;
          },
        },
        options,
      ),
    webhooks: {
      /** All, the oldest first. */
      list: () => value<Webhook[]>(client.GET('/webhooks', TEXT)),
      /** Its secret is in what this returns, and nowhere else. */
      create: (webhook: { url: string; events?: EventType[] }) =>
        value<Webhook & { secret: string }>(client.POST('/webhooks', { body: webhook, ...TEXT })),
      get: (webhookId: string) =>
        value<Webhook>(
          client.GET('/webhooks/{webhookId}', { params: { path: { webhookId } }, ...TEXT }),
        ),
      update: (
        webhookId: string,
        patch: { url?: string; events?: EventType[]; state?: 'enabled' | 'disabled' },
      ) =>
        value<Webhook>(
          client.PATCH('/webhooks/{webhookId}', {
            params: { path: { webhookId } },
            headers: PATCH,
            body: patch,
            ...TEXT,
          }),
        ),
      remove: (webhookId: string) =>
        nothing(
          client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId } }, ...TEXT }),
        ),
      /** Deliveries of the newest events first. */
      deliveries: (
        webhookId: string,
        { pageSize = PAGE_SIZE }: { readonly pageSize?: number } = {},
      ) =>
        pages<Delivery>((cursor) =>
          client.GET('/webhooks/{webhookId}/deliveries', {
            params: { path: { webhookId }, query: query({ limit: pageSize, cursor }) },
            ...TEXT,
          }),
        ),
    },
  };
}

export type Petstore = ReturnType<typeof createPetstore>;

/**
 * The event in a webhook's delivery. `body`: as it came, to the letter; `headers`: of the request; `secret`: `whsec_…`.
 * Throws the library's WebhookVerificationError where it was not signed with the secret, or more than five minutes ago.
 */
export function verifyWebhook(
  body: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): PetstoreEvent {
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const named = given.map(([name, value]) => [name.toLowerCase(), `${value}`]);
  new Signer(secret).verify(body, Object.fromEntries(named));
  return parseExact(body) as PetstoreEvent;
}

/** The entity tag of something that this client returned, for use in `ifStill`. */
export function etagOf(given: object): string | undefined {
  return etags.get(given);
}

const etags = new WeakMap<object, string>();

/** The library would parse numbers as the platform does. Here the text is parsed, with every digit. */
const TEXT = { parseAs: 'text' } as const;

const PATCH = { 'content-type': 'application/merge-patch+json' };

/** The library's result of a request. */
interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** Leaves out members that are not given: an undefined parameter differs from a missing one. */
function query<T extends object>(parameters: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(parameters).filter(([, given]) => given !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function ifMatch({ ifStill }: Guard): { 'If-Match'?: string } {
  const etag = typeof ifStill === 'object' ? etagOf(ifStill) : ifStill;
  if (typeof ifStill === 'object' && etag === undefined) {
    throw new TypeError(
      'ifStill must be what get or update of this client gave, or an entity tag: an item of a list, or what was just made, came without one.',
    );
  }
  return etag === undefined ? {} : { 'If-Match': etag };
}

async function value<T extends object>(request: Promise<Outcome>): Promise<T> {
  const { data, response } = okOrThrow(await request);
  const value = parseExact(String(data)) as T;
  const etag = response.headers.get('etag');
  if (etag !== null) etags.set(value, etag);
  return value;
}

async function nothing(request: Promise<Outcome>): Promise<void> {
  okOrThrow(await request);
}

async function* pages<T>(
  request: (cursor: string | undefined) => Promise<Outcome>,
  cursorOf = (address: URL) => address.searchParams.get('cursor') ?? undefined,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, response } = okOrThrow(await request(cursor));
    yield* parseExact(String(data)) as T[];
    const next = nextAddress(response.headers.get('link'));
    cursor = next && cursorOf(next);
  } while (cursor !== undefined);
}

/** A `Link` header's address of the next page. */
function nextAddress(link: string | null): URL | undefined {
  const address = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return address === undefined ? undefined : new URL(address);
}

/** Throws PetstoreError for any status but 2xx. */
function okOrThrow(outcome: Outcome): Outcome {
  const { error, response } = outcome;
  if (response.ok) return outcome;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  throw new PetstoreError(isErrorBody(error) ? error : foreign(response), requestId);
}

function isErrorBody(error: unknown): error is { code: string; message: string; status: number } {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** A response from something between here and the service, such as a gateway. */
function foreign({ status, statusText }: Response) {
  return {
    code: 'unknown',
    message: statusText || `The service responded with ${status}.`,
    status,
  };
}

/**
 * Reads JSON with every digit: members that the document calls int64 become bigints, all other numbers
 * stay numbers. Throws SyntaxError.
 */
function parseExact(text: string): unknown {
  return JSON.parse(text, (name, value, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && INT64_MEMBERS.has(name)
      ? BigInt(source)
      : value,
  );
}

/** Writes JSON with every digit of its bigints. */
function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(`${member}`) : member,
  );
}

/** The codes of errors, as the service's document lists them. More may come. */
export type { ErrorCode } from './generated/error-codes.ts';

/** An error response of the service. */
export class PetstoreError extends Error {
  override name = 'PetstoreError';
  /** For programs: a code that a newer service may have is a string like any other. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** Names the request in the service's log: quote it in a report. */
  readonly requestId: string | undefined;

  constructor(
    { code, message, status }: { code: string; message: string; status: number },
    requestId: string | undefined,
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}
