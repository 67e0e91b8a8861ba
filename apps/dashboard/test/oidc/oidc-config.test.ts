import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { readConfig } from '../../server/src/config.ts';

const ACME = {
  OIDC_PROVIDERS: 'acme',
  OIDC_ACME_ISSUER: 'https://login.acme.example',
  OIDC_ACME_CLIENT_ID: 'dashboard',
  OIDC_ACME_CLIENT_SECRET: 'a very secret word',
};

test('several providers are configured, each by variables with its name', () => {
  const { oidc } = readConfig({
    ...ACME,
    OIDC_PROVIDERS: 'acme, the-other',
    OIDC_THE_OTHER_ISSUER: 'http://127.0.0.1:8080/realms/other',
    OIDC_THE_OTHER_CLIENT_ID: 'x',
    OIDC_THE_OTHER_CLIENT_SECRET: 'y',
    OIDC_THE_OTHER_NAME: 'The other one',
    OIDC_THE_OTHER_SCOPES: 'openid email groups',
    OIDC_THE_OTHER_GROUPS_CLAIM: 'groups',
    OIDC_THE_OTHER_VERIFIED_CLAIM: 'xms_edov',
    OIDC_THE_OTHER_EMAIL_DOMAINS: 'Other.example, other.test',
    OIDC_THE_OTHER_REQUIRED: 'domains',
  });
  assert.deepEqual(oidc, [
    {
      ...{ id: 'acme', name: 'acme', issuer: 'https://login.acme.example' },
      ...{ clientId: 'dashboard', clientSecret: 'a very secret word' },
      ...{ scopes: 'openid email profile', groupsClaim: undefined },
      ...{ verifiedClaim: 'email_verified', emailDomains: [], required: 'no' },
    },
    {
      ...{ id: 'the-other', name: 'The other one', issuer: 'http://127.0.0.1:8080/realms/other' },
      ...{ clientId: 'x', clientSecret: 'y', scopes: 'openid email groups', groupsClaim: 'groups' },
      ...{ verifiedClaim: 'xms_edov', emailDomains: ['other.example', 'other.test'] },
      required: 'domains',
    },
  ]);
});

test('a provider that is wrong is refused at the start, by the name of its variable', () => {
  const table: [Record<string, string>, RegExp][] = [
    [{ OIDC_PROVIDERS: 'Acme' }, /^OIDC_PROVIDERS must be names of providers/],
    [{ OIDC_PROVIDERS: 'acme,acme' }, /^OIDC_PROVIDERS must be .* each once/],
    [{ OIDC_PROVIDERS: '../x' }, /^OIDC_PROVIDERS must be/],
    [{ OIDC_ACME_ISSUER: '' }, /^OIDC_ACME_ISSUER must be set, since OIDC_PROVIDERS lists acme/],
    [{ OIDC_ACME_CLIENT_ID: '' }, /^OIDC_ACME_CLIENT_ID must be set/],
    [{ OIDC_ACME_CLIENT_SECRET: '' }, /^OIDC_ACME_CLIENT_SECRET must be set/],
    [{ OIDC_ACME_CLIENT_SECRET_FILE: '/nowhere' }, /are both set/],
    [{ OIDC_ACME_ISSUER: 'http://login.acme.example' }, /^OIDC_ACME_ISSUER must be an https addr/],
    [{ OIDC_ACME_ISSUER: 'login.acme.example' }, /^OIDC_ACME_ISSUER must be an https address/],
    [{ OIDC_ACME_ISSUER: 'https://x.example/?a=b' }, /^OIDC_ACME_ISSUER must be an https address/],
    [
      { OIDC_ACME_ISSUER: 'https://x.example/.well-known/openid-configuration' },
      /^OIDC_ACME_ISSUER must be the issuer alone/,
    ],
    [
      { OIDC_ACME_ISSUER: 'https://login.microsoftonline.com/common/v2.0' },
      /^OIDC_ACME_ISSUER must be the issuer of your own tenant, .*people of any company/,
    ],
    [{ OIDC_ACME_SCOPES: 'email profile' }, /^OIDC_ACME_SCOPES must be scopes .* openid among/],
    [{ OIDC_ACME_NAME: 'x'.repeat(41) }, /^OIDC_ACME_NAME must be 1 to 40 characters/],
    [{ OIDC_ACME_EMAIL_DOMAINS: 'a b' }, /^OIDC_ACME_EMAIL_DOMAINS must be host names/],
    [{ OIDC_ACME_REQUIRED: 'yes' }, /^OIDC_ACME_REQUIRED must be one of no, domains, everyone/],
    [
      { OIDC_ACME_REQUIRED: 'domains' },
      /^OIDC_ACME_REQUIRED is domains, so OIDC_ACME_EMAIL_DOMAINS must list them/,
    ],
    [
      {
        ...{ OIDC_PROVIDERS: 'acme,b', OIDC_B_ISSUER: ACME.OIDC_ACME_ISSUER },
        ...{ OIDC_B_CLIENT_ID: 'x', OIDC_B_CLIENT_SECRET: 'y' },
      },
      /^OIDC_B_ISSUER is the same as OIDC_ACME_ISSUER/,
    ],
  ];
  for (const [env, wanted] of table) {
    assert.throws(
      () => readConfig({ ...ACME, ...env }),
      (error: Error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, wanted);
        assert.ok(!error.message.includes('very secret'));
        return true;
      },
      JSON.stringify(env),
    );
  }
});
