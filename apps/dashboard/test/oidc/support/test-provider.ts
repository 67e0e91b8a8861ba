import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import type { OidcProviderConfig } from '../../../server/src/oidc/oidc-config.ts';

/** A provider of the library oidc-provider, certified by the OpenID Foundation, with people who sign in at once. */
export interface TestProvider {
  readonly issuer: string;
  /** How the dashboard knows it. */
  config(overrides?: Partial<OidcProviderConfig>): OidcProviderConfig;
  /** Tells it where the dashboard is. */
  register(dashboard: string): void;
  /** Who signs in next, by the subject; null: they say no. */
  who: string | null;
  /** What it says of people, by subject. */
  readonly people: Map<string, Record<string, unknown>>;
  /** New signing keys; the earlier ones are gone. */
  rotateKeys(): Promise<void>;
}

export const CLIENT = { clientId: 'dashboard', clientSecret: 'a secret of the dashboard' };

export function providerConfig(
  issuer: string,
  overrides: Partial<OidcProviderConfig> = {},
): OidcProviderConfig {
  return {
    ...{ id: 'acme', name: 'Acme', issuer, ...CLIENT, scopes: 'openid email profile' },
    ...{ groupsClaim: undefined, verifiedClaim: 'email_verified' },
    ...{ emailDomains: [], required: 'no' },
    ...overrides,
  };
}

export async function startTestProvider(t: Parameters<typeof cleanUp>[0]): Promise<TestProvider> {
  const people = new Map<string, Record<string, unknown>>();
  let dashboard = 'http://127.0.0.1:1';
  let keys = await newKeys();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const build = () => {
    const provider: Provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [`${dashboard}/api/oidc/acme/callback`],
          post_logout_redirect_uris: [`${dashboard}/sign-in`],
          backchannel_logout_uri: `${dashboard}/api/oidc/acme/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      // As it is, it warns that it is for tests.
      adapter: class extends MemoryAdapter {},
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      // The dashboard is on this machine, which it would not ask by itself.
      fetch: (url: string, { method, headers, body }: RequestInit) =>
        fetch(url, { method, headers, body } as RequestInit),
      jwks: { keys },
      cookies: { keys: ['a key of the tests'] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username'],
        groups: ['groups'],
      },
      scopes: ['openid', 'email', 'profile', 'groups'],
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          // A page that asks, in life.
          logoutSource: (ctx: { body: string }, form: string) => {
            ctx.body = form;
          },
        },
      },
      findAccount: (_ctx: unknown, id: string) =>
        people.has(id) && { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) },
      interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      // Nobody is asked what the dashboard may know.
      loadExistingGrant: async (ctx: {
        oidc: { client: { clientId: string }; session: { accountId: string } };
      }) => {
        const { clientId } = ctx.oidc.client;
        const grant = new provider.Grant({ clientId, accountId: ctx.oidc.session.accountId });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
      renderError: (ctx: { body: string }, out: unknown) => {
        ctx.body = JSON.stringify(out);
      },
    });
    const callback = provider.callback();
    handle = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response);
      const result =
        self.who === null ? { error: 'access_denied' } : { login: { accountId: self.who } };
      void provider.interactionFinished(request, response, result);
    };
  };
  const self: TestProvider = {
    issuer,
    people,
    who: null,
    config: (overrides) => providerConfig(issuer, overrides),
    register(origin) {
      dashboard = origin;
      build();
    },
    async rotateKeys() {
      keys = await newKeys();
      build();
    },
  };
  build();
  return self;
}

let count = 0;

async function newKeys() {
  count += 1;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return [{ ...(await exportJWK(privateKey)), kid: `key-${count}`, use: 'sig', alg: 'RS256' }];
}
