import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcmeProblem, problemOf } from './acme-problem.ts';
import { createAuthority } from './authority.ts';
import { CALLS, type Call, createFaults, type Fault } from './faults.ts';
import { createIssuing, loopbackCertificate } from './issuing.ts';
import { readSigned, type SignedRequest } from './jws.ts';
import { type Account, createNonces, type OrderStatus, statusOf } from './resources.ts';
import {
  directory,
  newAccount,
  type RenewalWindow,
  type Reply,
  type RouteDeps,
  renewalInfo,
  resource,
} from './routes.ts';
import { type ValidationOptions, validate } from './validation.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_BODY = 65_536;

/** A certificate authority on loopback: pebble, or the one in this process. */
export interface LabAuthority {
  /** ACME_DIRECTORY_URL */
  readonly directoryUrl: string;
  /** A file with the root of its own HTTPS certificate: ACME_CA_FILE. */
  readonly caFile: string;
  /** The root of the certificates that it issues, in PEM. */
  readonly rootPem: string;
  close(): Promise<void>;
}

export interface LabAuthorityOptions extends ValidationOptions {
  /** How long certificates are valid, in milliseconds; by default 90 days. */
  readonly certificateLifetimeMs?: number;
  /** External accounts, which a new account needs then (RFC 8555, section 7.3.4): key ids, and MAC keys in base64url. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
}

export interface CertificateAuthority extends LabAuthority {
  /** How many calls of each kind there were. */
  readonly counts: Readonly<Record<Call, number>>;
  ordersByStatus(): Readonly<Record<OrderStatus, number>>;
  /** Makes calls, or its own requests to hosts, fail. */
  injectFault(fault: Fault): void;
  delay(at: Call, ms: number): void;
  /** Removes all faults and delays. */
  clearFaults(): void;
  /** Forgets all accounts and their orders. */
  forgetAccounts(): void;
  /** The certificates issued so far. */
  readonly issued: number;
  /** The certificates that were replaced by others, by their ARI ids. */
  readonly replaced: readonly string[];
  /** When certificates are to be renewed (RFC 9773). */
  suggestRenewal(window: RenewalWindow): void;
}

export interface CertificateAuthorityOptions extends LabAuthorityOptions {
  /** Its profiles (draft-ietf-acme-profiles), and how long their certificates are valid, in milliseconds. */
  readonly profiles?: Readonly<Record<string, number>>;
  /** How long a valid authorization is reused for further orders, in milliseconds; by default 0. */
  readonly authorizationReuseMs?: number;
  /** By default 0, which lets the system pick a free port. */
  readonly port?: number;
  /** false: no renewal information. */
  readonly hasRenewalInfo?: boolean;
  /** One in so many valid nonces is refused; 0: none. */
  readonly refusedNonces?: number;
  /** Responds to a challenge and to a CSR when it is done with them, so that a client need not poll. */
  readonly isPrompt?: boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of each call: `received` before anything is done, and `done` before the response leaves. */
  readonly onCall?: (call: Call, phase: 'received' | 'done') => Promise<void> | void;
}

/**
 * An ACME directory (RFC 8555) in this process, on loopback. It really validates hosts, and issues real certificates.
 */
export async function startCertificateAuthority(
  options: CertificateAuthorityOptions,
): Promise<CertificateAuthority> {
  const { now = Date.now, onCall, refusedNonces = 0 } = options;
  const issuing = await createIssuing('Lab CA', now);
  // Its own certificate comes from another root, as at real authorities.
  const own = await createIssuing('Lab HTTPS', now);
  const { chain, key } = await loopbackCertificate(own);
  const faults = createFaults();
  const authority = createAuthority({
    issuing,
    faults,
    lookUps: options,
    lifetimeMs: options.certificateLifetimeMs ?? 90 * DAY_MS,
    profiles: options.profiles ?? {},
    reuseMs: options.authorizationReuseMs ?? 0,
    now,
    isPrompt: options.isPrompt ?? false,
    validate: (request) => {
      counts.validation += 1;
      return validate(request, options);
    },
  });
  const nonces = createNonces(refusedNonces);
  const counts = Object.fromEntries(CALLS.map((call) => [call, 0])) as Record<Call, number>;
  let window: RenewalWindow | undefined = options.hasRenewalInfo === false ? undefined : twoThirds;

  const server = createServer({ cert: chain, key }, (request, response) => {
    respond(request).then(
      (reply) => send(response, reply),
      (error) => send(response, failed(error)),
    );
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { profiles = {}, externalAccounts } = options;
  const deps = (): RouteDeps => ({ authority, base, window, profiles, externalAccounts });

  async function respond(request: IncomingMessage): Promise<Reply> {
    const parts = (request.url ?? '').slice(1).split('/');
    const call = callOf(parts);
    counts[call] += 1;
    await onCall?.(call, 'received');
    await faults.trigger(call);
    const reply = await route(request, call, parts);
    await onCall?.(call, 'done');
    return reply;
  }

  async function route(request: IncomingMessage, call: Call, parts: string[]): Promise<Reply> {
    if (call === 'directory') return directory(deps());
    if (call === 'newNonce') return { status: 200, body: '' };
    if (call === 'renewalInfo') return renewalInfo(deps(), parts[1] ?? '');
    if (request.method !== 'POST') throw new AcmeProblem('malformed', 'Use POST.', { status: 405 });
    const signed = readSigned(await bodyOf(request));
    nonces.use(signed.nonce);
    if (signed.url !== base + request.url) {
      throw new AcmeProblem('unauthorized', 'The JWS is for another address.');
    }
    if (call === 'newAccount') return newAccount(deps(), signed);
    const account = accountOf(signed);
    return resource(deps(), call, parts.slice(1), account, signed.payload);
  }

  function accountOf(signed: SignedRequest): Account {
    const account = authority.accounts.get(signed.kid?.split('/').at(-1) ?? '');
    if (!account) throw new AcmeProblem('accountDoesNotExist', 'There is no such account.');
    signed.check(account.jwk);
    if (account.status !== 'valid') {
      throw new AcmeProblem('unauthorized', 'The account was deactivated.');
    }
    return account;
  }

  function send(response: ServerResponse, { status, body, headers }: Reply): void {
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'content-type': status >= 400 ? 'application/problem+json' : 'application/json',
      'cache-control': 'no-store',
      'replay-nonce': nonces.make(),
      ...headers,
    });
    response.end(isText ? body : JSON.stringify(body));
  }

  const folder = await mkdtemp(join(tmpdir(), 'lab-ca-'));
  const caFile = join(folder, 'root.pem');
  await writeFile(caFile, own.rootPem);

  return {
    directoryUrl: `${base}/directory`,
    caFile,
    rootPem: issuing.rootPem,
    counts,
    get issued() {
      return [...authority.orders.values()].filter(({ issued }) => issued).length;
    },
    get replaced() {
      return [...authority.orders.values()].flatMap(({ replaces }) => replaces ?? []);
    },
    ordersByStatus() {
      const all = { pending: 0, ready: 0, processing: 0, valid: 0, invalid: 0 };
      for (const order of authority.orders.values()) all[statusOf(order)] += 1;
      return all;
    },
    injectFault: faults.inject,
    delay: faults.delay,
    clearFaults: faults.clear,
    forgetAccounts: () => authority.accounts.clear(),
    suggestRenewal(suggested) {
      window = suggested;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The kind of request for a path such as `/order/ID/finalize`. */
function callOf([first = '', , action]: readonly string[]): Call {
  if (action === 'finalize') return 'finalize';
  const name = first.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const call = CALLS.find((known) => known === name && known !== 'validation');
  if (!call) throw new AcmeProblem('malformed', 'There is nothing here.', { status: 404 });
  return call;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new AcmeProblem('malformed', 'The request is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failed(error: unknown): Reply {
  const { document, status, retryAfter } = problemOf(error);
  return { status, body: document, headers: retryAfter ? { 'retry-after': retryAfter } : {} };
}

function twoThirds({ notBefore, notAfter }: { notBefore: number; notAfter: number }) {
  const start = notBefore + ((notAfter - notBefore) * 2) / 3;
  return { start, end: start + DAY_MS };
}
