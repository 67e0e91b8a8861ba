import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedOut } from '../../../server/src/oidc/sign-in.ts';
import { json, startService } from '../../support/service.ts';
import { testBrowser } from '../support/test-browser.ts';
import { CLIENT, providerConfig } from '../support/test-provider.ts';
import { startKeycloak } from './start-keycloak.ts';

const PERSON = { username: 'ann', password: 'the password of ann' };

test('people of a realm of Keycloak sign in, in its groups, until it ends their sessions', async (t) => {
  const keycloak = await startKeycloak(t);
  const service = await startService(t, {
    oidc: [
      providerConfig(`${keycloak.origin}/realms/acme`, {
        ...{ emailDomains: ['acme.example'], groupsClaim: 'groups' },
      }),
    ],
  });
  const { origin } = service;
  await service.signUp('owner@example.com');
  const group = { id: 'grp_1', name: 'Editors', name_key: 'editors', external_id: null };
  await service.db
    .insertInto('groups')
    .values({ ...group, source: 'local', created_at: 0, updated_at: 0 })
    .execute();
  // Before the realm is there: the dashboard has started all the same.
  const early = await testBrowser().call(origin, 'POST', '/api/oidc/acme/start', {});
  assert.equal(early.status, 503);
  await keycloak.admin('POST', '', realm(origin));

  const browser = testBrowser();
  /** Fills in Keycloak's form. */
  const signIn = async (begun: URL) => {
    const { url, response } = await browser.open(begun.href);
    if (url.origin === origin) return url.pathname + url.search;
    const action = /<form[^>]* action="([^"]+)"/.exec(await response.text())?.[1] ?? '';
    const sent = await browser.fetch(action.replaceAll('&amp;', '&'), {
      method: 'POST',
      body: new URLSearchParams(PERSON),
    });
    const back = await browser.open(sent.headers.get('location') ?? '');
    return back.url.pathname + back.url.search;
  };
  const start = async () => {
    // A provider that failed is left alone for three seconds.
    for (let tries = 0; tries < 40; tries++) {
      const begun = await browser.call(origin, 'POST', '/api/oidc/acme/start', { next: '/new' });
      if (begun.status === 200) return new URL(((await begun.json()) as { url: string }).url);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error('the realm was not found within ten seconds');
  };
  assert.equal(await signIn(await start()), '/new');
  assert.equal(await browser.who(origin), 'ann@acme.example');
  const members = await service.db.selectFrom('group_members').selectAll().execute();
  assert.deepEqual(
    members.map(({ source }) => source),
    ['oidc:acme'],
  );

  // With a key that is new since the last sign-in, and the session that Keycloak has.
  await keycloak.admin('POST', '/acme/components', {
    name: 'new key',
    providerId: 'rsa-generated',
    providerType: 'org.keycloak.keys.KeyProvider',
    config: { priority: ['200'], algorithm: ['RS256'], keySize: ['2048'] },
  });
  // So long nobody's token has the keys read again: they were read at the first sign-in.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  assert.equal(await signIn(await start()), '/new');

  // Keycloak's administrator ends all of Ann's sessions.
  const users = await keycloak.admin('GET', '/acme/users?username=ann');
  const [ann] = (await users.json()) as { id: string }[];
  await keycloak.admin('POST', `/acme/users/${ann?.id}/logout`);
  assert.equal(await browser.who(origin), null);

  // And Ann herself, from here: Keycloak knows by the ID token whose session it is, and asks nothing.
  assert.equal(await signIn(await start()), '/new');
  const out = await json<SignedOut>(await browser.call(origin, 'DELETE', '/api/session'));
  const { url } = await browser.open(out.url);
  assert.equal(url.href, `${origin}/sign-in`);
  const again = await browser.open((await start()).href);
  assert.equal(again.url.origin, keycloak.origin, 'it asks for the password again');
});

/** A realm with one person, their groups, and the dashboard as its client. */
function realm(dashboard: string) {
  return {
    ...{ realm: 'acme', enabled: true, sslRequired: 'none' },
    groups: [{ name: 'editors' }, { name: 'everybody' }],
    users: [
      {
        ...{ username: PERSON.username, enabled: true, firstName: 'Ann', lastName: 'A.' },
        ...{ email: 'ann@acme.example', emailVerified: true, groups: ['/editors', '/everybody'] },
        credentials: [{ type: 'password', value: PERSON.password }],
      },
    ],
    clients: [
      {
        ...{ clientId: CLIENT.clientId, secret: CLIENT.clientSecret, protocol: 'openid-connect' },
        ...{ standardFlowEnabled: true, publicClient: false },
        redirectUris: [`${dashboard}/api/oidc/acme/callback`],
        attributes: {
          'pkce.code.challenge.method': 'S256',
          'post.logout.redirect.uris': `${dashboard}/sign-in`,
          'backchannel.logout.url': `${dashboard}/api/oidc/acme/backchannel-logout`,
          'backchannel.logout.session.required': 'true',
        },
        protocolMappers: [
          {
            ...{ name: 'groups', protocol: 'openid-connect' },
            protocolMapper: 'oidc-group-membership-mapper',
            config: {
              ...{ 'claim.name': 'groups', 'full.path': 'false' },
              ...{ 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
            },
          },
        ],
      },
    ],
  };
}
