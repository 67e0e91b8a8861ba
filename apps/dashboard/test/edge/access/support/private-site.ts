import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { SignJWT } from 'jose';
import type { SiteAccessChange } from '../../../../server/src/site-access/site-access.ts';
import { json, type Visitor } from '../../../support/service.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export type AskAt = (host: string, path: string, asking?: Asking) => Promise<Answer>;

/**
 * Asks an edge on this machine for a path of any host, as it is written, over few connections. `from`: the address of the
 * client; others than 127.0.0.1 are counted.
 */
export function askAt(
  t: TestContext,
  port: number,
  { from = '127.0.0.1', maxSockets = 8 } = {},
): AskAt {
  const agent = new Agent({ keepAlive: true, maxSockets, localAddress: from });
  cleanUp(t, () => agent.destroy());
  return async (host, path, { method = 'GET', headers = {}, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request({
      ...{ host: '127.0.0.1', port, path, method, agent },
      headers: { host, ...headers, ...(body !== undefined && { 'content-length': body.length }) },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers: received, rawHeaders } = response;
      buffer(response).then(
        (bytes) => resolve({ status, headers: received, rawHeaders, body: bytes }),
        reject,
      );
    });
    sent.end(body);
    return promise;
  };
}

/** `name=value` of the cookie of a site's session that an answer sets; undefined: it sets none. */
export function sessionOf({ headers }: Answer): string | undefined {
  const set = headers['set-cookie']?.find((cookie) => /^(__Host-)?site_access=[^;]/.test(cookie));
  return set?.split(';')[0];
}

/** Changes who may read; the answer's JSON. */
export async function changeAccess(owner: Visitor, slug: string, change: SiteAccessChange) {
  return json(await owner.call('PATCH', `/api/projects/${slug}/access`, change));
}

export async function setPassword(owner: Visitor, slug: string, password: string): Promise<void> {
  const path = `/api/projects/${slug}/access/password`;
  assert.equal((await owner.call('PUT', path, { password })).status, 204);
}

/** Sends the password form. */
export const sendPassword = (
  ask: AskAt,
  host: string,
  password: string,
  to = '/',
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(host, '/_access/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: `${new URLSearchParams({ password, to })}`,
  });

/** The way to the dashboard and its state: what the browser keeps, and what it asks there. */
export async function beginAccountSignIn(ask: AskAt, host: string, to = '/') {
  const left = await ask(host, `/_access/account?${new URLSearchParams({ to })}`);
  assert.equal(left.status, 303);
  const cookie = left.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const url = new URL(left.headers.location ?? '');
  return { cookie, url, wanted: Object.fromEntries(url.searchParams) };
}

/** Signs in with an account, as a browser does; the site's cookie, or the status with which the dashboard refused. */
export async function signInWithAccount(
  ask: AskAt,
  host: string,
  visitor: Visitor,
): Promise<string | number> {
  const { cookie, wanted } = await beginAccountSignIn(ask, host);
  const answer = await visitor.call('POST', '/api/site-sign-in', wanted);
  if (answer.status !== 200) return answer.status;
  const { url } = await json<{ url: string }>(answer);
  const { pathname, search, hostname } = new URL(url);
  assert.equal(hostname, host);
  const back = await ask(host, pathname + search, { headers: { cookie } });
  return sessionOf(back) ?? back.status;
}

export interface Signer {
  readonly kid: string;
  readonly publicKey: string;
  sign(claims: Claims, header?: Record<string, unknown>): Promise<string>;
}

export interface Claims {
  readonly aud?: string | readonly string[];
  /** Seconds from now. */
  readonly expiresIn?: number;
  readonly [name: string]: unknown;
}

/** A pair of keys, and tokens signed by it. */
export function makeSigner(kid: string, algorithm: 'EdDSA' | 'ES256' | 'RS256' = 'EdDSA'): Signer {
  const { publicKey, privateKey } = pairOf(algorithm);
  return {
    kid,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: ({ aud, expiresIn = 300, ...claims }, header = {}) =>
      new SignJWT({
        ...(aud !== undefined && { aud: aud as string | string[] }),
        exp: Math.floor(Date.now() / 1_000) + expiresIn,
        ...claims,
      })
        .setProtectedHeader({ alg: algorithm, kid, ...header })
        .sign(privateKey),
  };
}

function pairOf(algorithm: string): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

/** Registers the public key; its id. */
export async function addKey(
  owner: Visitor,
  slug: string,
  { kid, publicKey }: Signer,
): Promise<string> {
  const path = `/api/projects/${slug}/access/keys`;
  return (await json<{ id: string }>(await owner.call('POST', path, { kid, publicKey }), 201)).id;
}
