import { createHash, createHmac, type Hash, type Hmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How far the clock of a host may be off, in milliseconds (Standard Webhooks, "Verifying webhooks"). */
const TOLERANCE_MS = 5 * 60_000;

/** The body is read once, piece by piece: it may have 25 MB, and nothing in it is believed. */
export interface Verification {
  update(piece: Uint8Array): void;
  /** Once the whole body was read: what tells this webhook from others; undefined where its signature is wrong. */
  digest(): string | undefined;
}

/** GitHub, and Gitea and Forgejo beside their own; Bitbucket's has SHA-256, too. */
const PREFIXED = ['x-hub-signature-256', 'x-hub-signature'] as const;

/** Bare hexadecimal digits. */
const BARE = ['x-gitea-signature', 'x-forgejo-signature', 'x-gogs-signature'] as const;

/**
 * How to verify a webhook by its headers and the secret that its host has; undefined where it has no signature at all.
 * What is not covered by the signature, such as the delivery's id, does not make a webhook another one.
 */
export function verificationOf(
  headers: IncomingHttpHeaders,
  secret: string,
  now: number,
): Verification | undefined {
  const given = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  if (given('webhook-signature') !== undefined) return standard(given, secret, now);
  for (const name of PREFIXED) {
    const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(given(name) ?? '') ?? [];
    if (hex !== undefined) return signedBody(hex, secret);
  }
  for (const name of BARE) {
    const hex = given(name);
    if (hex !== undefined) return signedBody(hex, secret);
  }
  const token = given('x-gitlab-token');
  return token === undefined ? undefined : bearer(token, given('x-gitlab-event-uuid'), secret);
}

function signedBody(hex: string, secret: string): Verification {
  const hmac = createHmac('sha256', secret);
  const body = createHash('sha256');
  return {
    update: feed(hmac, body),
    digest: () => (isSame(hmac.digest(), Buffer.from(hex, 'hex')) ? body.digest('hex') : undefined),
  };
}

/**
 * GitLab's secret itself. No part of the request is signed: whoever has one can make another, so its own id is as good
 * as any.
 */
function bearer(token: string, id: string | undefined, secret: string): Verification {
  const body = createHash('sha256').update(`${id ?? ''}\n`);
  const hashed = (text: string) => createHash('sha256').update(text).digest();
  return {
    update: feed(body),
    digest: () => (isSame(hashed(token), hashed(secret)) ? body.digest('hex') : undefined),
  };
}

/**
 * GitLab's signing token, by Standard Webhooks: the id and the time are signed, too. Its library takes a body in memory as
 * a whole. The key is what follows `whsec_`, in base64; a host that takes any text as its token may use it as it is.
 */
function standard(
  given: (name: string) => string | undefined,
  secret: string,
  now: number,
): Verification {
  const id = given('webhook-id') ?? '';
  const timestamp = given('webhook-timestamp') ?? '';
  const signatures = (given('webhook-signature') ?? '')
    .split(' ')
    .slice(0, 10)
    .flatMap((entry) => (entry.startsWith('v1,') ? [Buffer.from(entry.slice(3), 'base64')] : []));
  const keys = [Buffer.from(secret.replace(/^whsec_/, ''), 'base64'), Buffer.from(secret)];
  const macs = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`));
  const isTimely =
    /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - now) <= TOLERANCE_MS;
  return {
    update: feed(...macs),
    digest() {
      const expected = macs.map((mac) => mac.digest());
      const isGood = signatures.some((one) => expected.some((mac) => isSame(mac, one)));
      if (!isGood || !isTimely || id === '') return undefined;
      return createHash('sha256').update(`webhook-id ${id}`).digest('hex');
    },
  };
}

const feed =
  (...hashes: (Hash | Hmac)[]) =>
  (piece: Uint8Array) => {
    for (const hash of hashes) hash.update(piece);
  };

const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && timingSafeEqual(one, other);
