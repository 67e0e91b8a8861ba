import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BODY_BYTES } from '../http/limits.ts';
import { responseOf, type ServiceResponse } from '../http/service-response.ts';
import { hashKey, isWellFormedSandboxKey, type KeyHash } from '../keys/key.ts';
import { RecentMap } from '../rate-limits/recent-map.ts';
import { LONGEST_TTL_DAYS } from '../sandboxes/sandbox.ts';
import type { ReportStore } from '../store/contract/report-store.ts';
import { longIntegersIn, longIntegersInPath } from './long-integers.ts';
import { RECORD_BOUNDS } from './record-bounds.ts';
import type { UnnumberedRequest } from './recorded-request.ts';
import { credentialIn, recordedAddress, recordedTarget, sandboxKeyIn } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is noted of a request with a sandbox's key until it ends; undefined for every other. */
    noted: { body: Buffer | undefined } | undefined;
  }
}

/** How long requests wait to be written together, in milliseconds. */
export const WRITE_AFTER_MS = 250;

/** How many may wait; further ones are lost, and the report says so. */
const MAX_WAITING = 5_000;

const SANDBOX_KEY = 'pk_sand_';

/** Media types of responses that go on. */
const STREAM = /^(?:text\/event-stream|application\/(?:jsonl|x-ndjson))/;

interface RecorderDeps {
  readonly store: ReportStore;
  /** The sandbox that a key opens, for one that came in a target. */
  readonly sandboxOf: (hash: KeyHash) => Promise<string | undefined>;
  /** The faults that were applied to a response. */
  readonly faultOf: (response: ServiceResponse) => string | undefined;
  readonly log: Log;
}

/** Writes down what clients ask for with the keys of sandboxes. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #connections = new WeakSet<Socket>();
  #waiting = new Map<string, UnnumberedRequest[]>();
  #waitingCount = 0;
  /** How many requests of a sandbox could not be written since the last that were. Forgotten when it must have ended. */
  readonly #lost = new RecentMap<number>(LONGEST_TTL_DAYS * 86_400_000);
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Follows the requests of the routes that are added from here on. It comes in front of admission. */
  watch(api: FastifyInstance): void {
    api.decorateRequest('noted');
    const begin = this.#begin.bind(this);
    api.addHook('onRequest', function record(request, reply, done) {
      const { authorization = '' } = request.headers;
      const isMeant =
        (authorization.includes(SANDBOX_KEY) || request.url.includes(SANDBOX_KEY)) &&
        !request.route.config.takesNoFaults;
      if (isMeant) begin(request, reply);
      done();
    });
    api.addHook('onClose', () => this.flush());
  }

  /** Writes what waits, so that whoever reads next sees it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** How many of the newest requests of a sandbox could not be written, as far as this process knows. */
  lostOf(sandbox: string): number {
    return this.#lost.get(sandbox) ?? 0;
  }

  /** Keeps the body of a request that is followed until it ends. */
  sawBody({ noted }: FastifyRequest, body: Buffer): void {
    if (noted && body.length > 0) noted.body = body;
  }

  #begin(request: FastifyRequest, reply: FastifyReply): void {
    const response = responseOf(reply);
    const since = performance.now();
    const { socket } = request.raw;
    const opensConnection = !this.#connections.has(socket);
    this.#connections.add(socket);
    request.noted = { body: undefined };
    const arrived = watchRequestBody(request.raw);
    let sentIds: string[] | undefined;
    let sentAt: number | undefined;
    watchBody(response, {
      onText: (text) => {
        sentIds ??= longIntegersIn(text);
      },
      // The client cannot have the response before that. That it is closed may be noticed much later.
      onEnd: () => {
        sentAt = performance.now();
      },
    });
    response.on('close', () => {
      const { sandbox } = request.apiKey ?? {};
      // A request that a fault ended was not read by the service.
      if (request.noted) request.noted.body ??= arrived();
      const isSent = response.writableFinished && sentAt !== undefined;
      const until = (isSent ? sentAt : undefined) ?? performance.now();
      const done = this.#describe(request, response, { since, until, opensConnection, sentIds });
      if (sandbox) this.#add(sandbox.id, done);
      else if (response.statusCode === 401) void this.#addByTarget(request.url, done);
    });
  }

  #describe(
    request: FastifyRequest,
    response: ServiceResponse,
    {
      since,
      until,
      opensConnection,
      sentIds,
    }: { since: number; until: number; opensConnection: boolean; sentIds?: string[] | undefined },
  ): UnnumberedRequest {
    const { headers, route, noted } = request;
    const fault = this.#deps.faultOf(response);
    const sent = response.headersSent ? headOf(response) : undefined;
    const body = noted?.body;
    const usedIds = [
      ...longIntegersInPath(request.url),
      ...(body ? (longIntegersIn(body.toString()) ?? []) : []),
    ];
    const next = sent && nextOf(sent('link'));
    const retryAfter = sent && secondsOf(sent('retry-after'));
    const sunset = sent && Date.parse(sent('sunset') ?? '');
    const leaked = credentialIn(request.url);
    const described: { -readonly [K in keyof UnnumberedRequest]: UnnumberedRequest[K] } = {
      at: rounded(performance.timeOrigin + since),
      durationMs: rounded(until - since),
      method: request.method,
      operation: (route.schema as { operationId?: string } | undefined)?.operationId,
      path: route.url,
      target: recordedTarget(request),
    };
    if (opensConnection) described.opensConnection = true;
    if (response.headersSent) described.status = response.statusCode;
    // A fault that ends the connection is not the client's doing.
    if (!response.writableFinished && !endsConnection(fault)) described.clientLeft = true;
    if (fault) described.fault = fault.slice(0, 300);
    if (request.raw.httpVersion === '1.0') described.isHttp10 = true;
    if (STREAM.test(sent?.('content-type') ?? '')) described.isStream = true;
    if (leaked !== undefined) described.credentialIn = leaked;
    if (headers.via ?? headers.forwarded ?? headers['x-forwarded-for']) described.viaProxy = true;
    if (headers['if-none-match']) described.ifNoneMatch = tagOf(headers['if-none-match']);
    if (headers['if-match']) described.ifMatch = tagOf(headers['if-match']);
    const key = headers['idempotency-key'];
    if (key !== undefined) described.idempotencyKey = digest(String(key).replace(/^"(.*)"$/, '$1'));
    if (body) described.body = digest(body);
    if (usedIds.length > 0) described.usedIds = usedIds;
    if (sentIds !== undefined) described.sentIds = sentIds;
    const etag = sent?.('etag');
    if (etag !== undefined) described.etag = etag;
    if (next !== undefined) described.next = next;
    if (retryAfter !== undefined) described.retryAfter = retryAfter;
    if (sunset !== undefined && !Number.isNaN(sunset)) described.sunset = sunset;
    if (sent?.('connection')?.toLowerCase() === 'close') described.closes = true;
    if (headers.connection?.toLowerCase() === 'close') described.asksToClose = true;
    return described;
  }

  /** A key that came in the target alone opened nothing; its owner is told all the same. */
  async #addByTarget(url: string, request: UnnumberedRequest): Promise<void> {
    const key = sandboxKeyIn(url);
    if (key === undefined || !isWellFormedSandboxKey(key)) return;
    const sandbox = await this.#deps.sandboxOf(hashKey(key)).catch(() => undefined);
    if (sandbox !== undefined) this.#add(sandbox, request);
  }

  #add(sandbox: string, request: UnnumberedRequest): void {
    if (this.#waitingCount >= MAX_WAITING) {
      this.#lose(sandbox, 1);
      return;
    }
    const waiting = this.#waiting.get(sandbox);
    if (waiting) waiting.push(request);
    else this.#waiting.set(sandbox, [request]);
    this.#waitingCount++;
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS).unref();
  }

  #lose(sandbox: string, count: number): void {
    this.#lost.set(sandbox, this.lostOf(sandbox) + count, performance.now());
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    const batches = [...waiting].map(([sandbox, requests]) => ({
      sandbox,
      // In the order in which they came; they are written in the order in which they ended.
      requests: requests.sort((a, b) => a.at - b.at),
      lost: this.lostOf(sandbox),
    }));
    const unwritten = await this.#deps.store.record(batches, RECORD_BOUNDS);
    const failed = new Set(unwritten.map(({ batch }) => batch));
    for (const batch of batches) {
      const { sandbox, requests, lost } = batch;
      // Further ones may have been lost meanwhile.
      if (failed.has(batch)) this.#lose(sandbox, requests.length);
      else if (lost > 0) this.#lose(sandbox, -lost);
    }
    const [first] = unwritten;
    if (first) {
      const sandboxes = unwritten.length;
      const message = 'requests of sandboxes are missing in their reports';
      this.#deps.log.warn({ err: first.error, sandboxes }, message);
    }
  }
}

/** Node keeps the head of a response here: see responseClass. */
function headOf(response: ServerResponse): (name: string) => string | undefined {
  const lines = ((response as unknown as { _header: string | null })._header ?? '').split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines.slice(1)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return (name) => headers.get(name);
}

/** Keeps the parts of a body as they arrive. Gives the body, if all of it came. */
function watchRequestBody(request: IncomingMessage): () => Buffer | undefined {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length === 0 || length > MAX_BODY_BYTES) return () => undefined;
  const chunks: Buffer[] = [];
  const { push } = request;
  // Node's parser hands over each part with this call; to listen for data would take it from the service.
  request.push = function watched(chunk: unknown, ...rest: unknown[]) {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    return (push as (...args: unknown[]) => boolean).call(request, chunk, ...rest);
  } as typeof push;
  return () => {
    const body = Buffer.concat(chunks);
    return body.length === length ? body : undefined;
  };
}

/** Calls back with the text of each part of a body as it is sent, and when nothing more comes. */
function watchBody(
  response: ServerResponse,
  { onText, onEnd }: { onText: (text: string) => void; onEnd: () => void },
): void {
  const { write, end } = response;
  const see = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) onText(chunk.toString());
  };
  response.write = function watched(...args: unknown[]) {
    see(args[0]);
    return (write as (...args: unknown[]) => boolean).apply(response, args);
  } as typeof write;
  response.end = function watched(...args: unknown[]) {
    see(args[0]);
    onEnd();
    return (end as (...args: unknown[]) => typeof response).apply(response, args);
  } as typeof end;
}

function nextOf(link: string | undefined): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return address !== undefined && URL.canParse(address) ? recordedAddress(address) : undefined;
}

/** `Retry-After` as a number of seconds from now; a date counts from when the response is sent. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}

/** What a client sends is kept only where it looks like an entity tag of ours. */
function tagOf(value: string): string {
  return /^(?:W\/)?"[\w-]{1,64}"$/.test(value) ? value : '…';
}

function endsConnection(fault: string | undefined): boolean {
  return /(?:^|, )(?:reset|cut|length|duplicate)/.test(fault ?? '');
}

function digest(content: Buffer | string): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
