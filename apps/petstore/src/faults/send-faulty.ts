import type { Socket } from 'node:net';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import type { Deprecation } from '../http/admission/deprecation.ts';
import type { ServiceResponse } from '../http/service-response.ts';
import { changeBody } from './change-body.ts';
import { changeStream } from './event-faults.ts';
import { APPLIED_HEADER, forbidKeeping, skewClock } from './fault-headers.ts';
import type { Plan } from './fault-plan.ts';
import type { FinishedResponse } from './finished-response.ts';
import { injectedError } from './injected-error.ts';
import { MAX_LATENCY_MS } from './latency.ts';
import type { Waits } from './waits.ts';

/** How long a connection stays open on which bytes are missing that were announced, in milliseconds. */
const HOLD_MS = 5_000;

export interface SendDeps {
  readonly plan: Plan;
  readonly waits: Waits;
  readonly deprecation: Deprecation | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Called with what was applied, once it is certain. */
  readonly onApplied: (applied: string) => void;
}

/**
 * Sends a finished response with the faults of a plan. A fault that needs a body does not touch a response that has
 * none: to a HEAD, a 204, a 304.
 */
export async function sendFaulty(
  response: ServiceResponse,
  original: FinishedResponse,
  deps: SendDeps,
): Promise<void> {
  const { plan, waits, onApplied } = deps;
  if (plan.reset === 'after') {
    onApplied('reset=after');
    onTurn(response, resetConnection);
    return;
  }
  const { finished, applied, framing } = change(response, original, deps);
  if (plan.when === 'after' && plan.latencyMs) await waits.wait(plan.latencyMs, response);
  const text = applied.join(', ');
  onApplied(text);
  const headers = {
    ...Object.fromEntries(finished.headers),
    ...(text && { [APPLIED_HEADER]: text }),
  };
  response.writeHead(finished.status, headers);
  if (framing)
    onTurn(response, (socket) => sendBody(response, socket, finished.body, framing, waits));
  else response.end(finished.body);
}

/**
 * Adds to the headers of a stream of events what was applied. Returns what its pieces become. Of a plan only what came
 * before, and what is about events, happens to a stream.
 */
export function beginStream(
  headers: Map<string, string>,
  { latencyMs, when = 'before', events }: Plan,
  onApplied: (applied: string) => void,
): ((text: string) => string) | undefined {
  const applied = [
    ...(latencyMs && when === 'before' ? [`latency=${latencyMs};when=before`] : []),
    ...(events ? [`events=${events.fault}`] : []),
  ].join(', ');
  onApplied(applied);
  if (applied) headers.set(APPLIED_HEADER, applied);
  const mediaType = headers.get('content-type') ?? '';
  return events && ((text) => changeStream(text, mediaType, events));
}

/** How the body of a response goes over the wire. */
interface Framing {
  /** The bytes that are sent of it. */
  readonly sent: number;
  readonly slowMs: number;
  readonly isTwice: boolean;
  /** What Content-Length says beyond what is sent. */
  readonly missing: number;
  /** Whether the connection ends behind it, though the head does not say so. */
  readonly isLast: boolean;
}

interface Changed {
  readonly finished: FinishedResponse;
  readonly applied: readonly string[];
  /** Undefined where the body is sent as any other. */
  readonly framing: Framing | undefined;
}

/** What becomes of a response. */
function change(
  response: ServiceResponse,
  original: FinishedResponse,
  { plan, deprecation, now }: SendDeps,
): Changed {
  const { when = 'before' } = plan;
  const applied: string[] = [];
  if (plan.latencyMs) applied.push(`latency=${plan.latencyMs};when=${when}`);
  if (plan.status !== undefined) applied.push(`status=${plan.status};when=${when}`);
  if (plan.stale && isList(response.req.method, original)) applied.push(`stale=${plan.stale}`);
  const isReplaced = plan.status !== undefined && when === 'after';
  const from = isReplaced ? injectedError(plan, plan.status, now()) : original;
  const { status } = from;
  const headers = new Map(from.headers);
  let { body } = from;
  const isBodiless = status === 204 || status === 304;
  const hasBody = !isBodiless && response.req.method !== 'HEAD';
  if (hasBody && isJson(headers)) {
    const changed = changeBody(body, plan);
    if (changed.applied.length > 0) forbidKeeping(headers);
    body = changed.body;
    applied.push(...changed.applied);
  }
  if (plan.type !== undefined && !isBodiless) {
    forbidKeeping(headers);
    if (plan.type === 'none') headers.delete('content-type');
    else headers.set('content-type', plan.type);
    applied.push(`type=${plan.type}`);
  }
  if (plan.clock !== undefined) {
    skewClock(headers, plan.clock, now(), deprecation);
    applied.push(`clock=${plan.clock}`);
  }
  if (hasBody) headers.set('content-length', `${Math.max(0, body.length + (plan.length ?? 0))}`);
  const framing = hasBody ? framingOf(plan, body.length, applied) : undefined;
  return { finished: { status, headers, body }, applied, framing };
}

function framingOf(plan: Plan, length: number, applied: string[]): Framing | undefined {
  const { cut, slow, duplicate = false, length: wrong } = plan;
  if (!cut && !slow && !duplicate && wrong === undefined) return undefined;
  let sent = length;
  if (cut) {
    sent = 'part' in cut ? Math.floor(cut.part * length) : Math.min(cut.bytes, length);
    applied.push(`cut=${sent}`);
  }
  if (slow) applied.push(`slow=${slow}`);
  if (wrong !== undefined) applied.push(`length=${wrong}`);
  if (duplicate) applied.push('duplicate');
  const isLast = cut !== undefined || duplicate || wrong !== undefined;
  return { sent, slowMs: slow ?? 0, isTwice: duplicate, missing: cut ? 0 : (wrong ?? 0), isLast };
}

async function sendBody(
  response: ServiceResponse,
  socket: Socket,
  body: Buffer,
  { sent, slowMs, isTwice, missing, isLast }: Framing,
  waits: Waits,
): Promise<void> {
  const bytes = body.subarray(0, sent);
  if (slowMs === 0) response.write(bytes);
  else await sendSlowly(response, bytes, slowMs, waits);
  if (isTwice) {
    // Both at once, so that a client has the second before it could send another request.
    socket.write(Buffer.concat([Buffer.from(headOf(response), 'latin1'), body]));
  }
  if (missing > 0) await waits.wait(HOLD_MS, response);
  if (isLast) socket.destroySoon();
  else response.end();
}

/** Sends byte by byte, or as few bytes at a time as end within MAX_LATENCY_MS. */
async function sendSlowly(
  response: ServiceResponse,
  bytes: Buffer,
  slowMs: number,
  waits: Waits,
): Promise<void> {
  const size = Math.max(1, Math.ceil((bytes.length * slowMs) / MAX_LATENCY_MS));
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await waits.wait(slowMs, response);
    if (response.destroyed || response.req.socket.destroyed) return;
    response.write(bytes.subarray(at, at + size));
  }
}

/** Calls back when a response may write to its connection: on a pipelined one, those before it come first. */
export function onTurn(response: ServiceResponse, then: (socket: Socket) => void): void {
  if (response.socket) then(response.socket);
  else response.once('socket', then);
}

/** The head that was sent: see responseClass. */
function headOf(response: ServiceResponse): string {
  return (response as unknown as { _header: string })._header;
}

function isList(method: string | undefined, { status, body }: FinishedResponse): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'QUERY';
  return isRead && status === 200 && body[0] === OPENING_BRACKET;
}

const OPENING_BRACKET = '['.charCodeAt(0);

function isJson(headers: FinishedResponse['headers']): boolean {
  return /^application\/(?:[a-z.+-]+\+)?json\b/.test(headers.get('content-type') ?? '');
}
