import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { CLIENT } from './test-provider.ts';

type Claims = Record<string, unknown>;

/** A provider of which the test decides every word. Each part is right until a test replaces it. */
export interface HostileProvider {
  readonly issuer: string;
  /** Changes of the discovery document. */
  document: Claims;
  /** Changes of what the browser is sent back with; `undefined` leaves a parameter out. */
  callback: Record<string, string | undefined>;
  /** Changes of the ID token's claims; `undefined` leaves one out. */
  claims: Claims;
  /** Makes the ID token of its claims. */
  makeIdToken: (claims: Claims) => Promise<string> | string;
  /** Answers in place of the rest, by path. */
  readonly routes: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** The keys that it publishes. */
  keys: JWK[];
  /** What it says at its userinfo endpoint. */
  userinfo: Claims;
  /** The forms that its token endpoint got. */
  readonly exchanges: URLSearchParams[];
  /** The paths that it was asked for. */
  readonly requests: string[];
  sign(claims: Claims, header?: { alg?: string; typ?: string; kid?: string }): Promise<string>;
  /** A log-out token that is right, but for the changes. */
  logoutToken(changes?: Claims, header?: { typ?: string }): Promise<string>;
  /** Undoes all changes. */
  reset(): void;
}

const seconds = () => Math.floor(Date.now() / 1_000);

export async function startHostileProvider(t: TestContext): Promise<HostileProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const published = { ...(await exportJWK(publicKey)), kid: 'first', use: 'sig', alg: 'RS256' };
  let lastSubject: unknown = 'mallory';
  const nonces = new Map<string, string>();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error) => response.writeHead(500).end(`${error}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const self: HostileProvider = {
    issuer,
    document: {},
    callback: {},
    claims: {},
    userinfo: {},
    keys: [published],
    exchanges: [],
    requests: [],
    routes: new Map(),
    makeIdToken: (claims) => self.sign(claims),
    sign: (claims, { alg = 'RS256', ...header } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'first', ...header }).sign(privateKey),
    logoutToken: (changes = {}, header = { typ: 'logout+jwt' }) =>
      self.sign(
        {
          ...{ iss: issuer, aud: CLIENT.clientId, iat: seconds(), exp: seconds() + 120 },
          ...{ jti: randomUUID(), sub: 'mallory' },
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          ...changes,
        },
        header,
      ),
    reset() {
      Object.assign(self, {
        document: {},
        callback: {},
        claims: {},
        userinfo: {},
        keys: [published],
      });
      self.makeIdToken = (claims) => self.sign(claims);
      self.routes.clear();
      self.exchanges.length = 0;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    self.requests.push(url.pathname);
    const own = self.routes.get(url.pathname);
    if (own) return own(request, response);
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return void json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          end_session_endpoint: `${issuer}/end`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
          authorization_response_iss_parameter_supported: true,
          ...self.document,
        });
      case '/jwks':
        return void json({ keys: self.keys });
      case '/userinfo':
        return void json({ sub: lastSubject, ...self.userinfo });
      case '/authorize': {
        const { state = '', nonce = '', redirect_uri = '' } = Object.fromEntries(url.searchParams);
        const code = randomUUID();
        nonces.set(code, nonce);
        const back = new URL(redirect_uri);
        for (const [name, value] of Object.entries({ code, state, iss: issuer, ...self.callback }))
          if (value !== undefined) back.searchParams.set(name, value);
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const form = new URLSearchParams(await text(request));
        self.exchanges.push(form);
        const all: Claims = {
          ...{ iss: issuer, aud: CLIENT.clientId, sub: 'mallory', sid: 'session-1' },
          ...{ iat: seconds(), exp: seconds() + 300, nonce: nonces.get(form.get('code') ?? '') },
          ...{ email: 'mallory@evil.example', email_verified: true, name: 'Mallory' },
          ...self.claims,
        };
        const claims = JSON.parse(JSON.stringify(all)) as Claims;
        lastSubject = claims.sub;
        const id_token = await self.makeIdToken(claims);
        return void json({ access_token: 'an access token', token_type: 'Bearer', id_token });
      }
      default:
        return void json({ error: 'not_found' }, 404);
    }
  }
  return self;
}
