import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { FILE } from '@petstore/test-support/clean-up.ts';
import type { SignInProvider } from '../../server/src/oidc/sign-in.ts';
import { CLIENT, startTestProvider, type TestProvider } from '../oidc/support/test-provider.ts';
import { PASSWORD, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look } from '../support/look.ts';

let provider: TestProvider;

const shared = sharedInstallation(async () => {
  provider = await startTestProvider(FILE);
  return {
    DASHBOARD_SIGN_UP: 'open',
    OIDC_PROVIDERS: 'acme,away',
    OIDC_ACME_NAME: 'Acme',
    OIDC_ACME_ISSUER: provider.issuer,
    OIDC_ACME_CLIENT_ID: CLIENT.clientId,
    OIDC_ACME_CLIENT_SECRET: CLIENT.clientSecret,
    OIDC_ACME_EMAIL_DOMAINS: 'acme.example',
    OIDC_AWAY_NAME: 'A provider that is away',
    OIDC_AWAY_ISSUER: 'http://127.0.0.1:9',
    OIDC_AWAY_CLIENT_ID: 'x',
    OIDC_AWAY_CLIENT_SECRET: 'y',
  };
});

before(() => provider.register(shared().origin));

test('people sign in with a provider, link it with the account that they have, and sign out of both', async () => {
  const { origin, visitor, member } = shared();
  const owner = await member();
  provider.people.set('ada', { email: owner.email, email_verified: true, name: 'Ada' });
  provider.people.set('ann', { email: 'ann@acme.example', email_verified: true, name: 'Ann' });

  // Whoever comes for a page is led to it by way of the provider.
  provider.who = 'ann';
  const ann = await visitor();
  await ann.page.goto(`${origin}/account/tokens`);
  await ann.page.getByRole('button', { name: 'Continue with A provider that is away' }).click();
  await ann.page.getByText('A provider that is away cannot be reached right now.').waitFor();
  await look(ann.page, shared(), { name: 'sign-in-providers', path: '/sign-in', text: 'or' });
  await ann.page.goto(`${origin}/account/tokens`);
  await ann.page.getByRole('button', { name: 'Continue with Acme' }).click();
  await ann.page.waitForURL(`${origin}/account/tokens`);
  await ann.page.goto(`${origin}/account/security`);
  await ann.page.getByText('ann@acme.example · linked').waitFor();
  assert.deepEqual(withoutRefusals(ann.complaints), []);

  const { id: userId } = await ann.call<{ id: string }>('GET', '/session');

  // Signing out here leaves the provider's own session, and says so.
  await ann.page.goto(`${origin}/`);
  await ann.page.getByRole('button', { name: /Ann/ }).click();
  await ann.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await ann.page.getByText('still signed in at Acme').waitFor();
  const there = await ann.page
    .getByRole('link', { name: 'Sign out there, too' })
    .getAttribute('href');
  assert.match(there ?? '', new RegExp(`^${provider.issuer}/session/end\\?.*id_token_hint=`));

  // An account with a password is linked by that, once.
  provider.who = 'ada';
  const ada = await visitor();
  await ada.page.goto(`${origin}/sign-in?next=/new`);
  await ada.page.getByRole('button', { name: 'Continue with Acme' }).click();
  await ada.page.getByText(`${owner.email} has an account here already.`).waitFor();
  await look(ada.page, shared(), {
    ...{
      name: 'link-account',
      path: '/sign-in/link-account',
      text: 'Enter its password this once',
    },
  });
  await ada.page.getByRole('textbox', { name: 'Password' }).fill('not my password');
  await ada.page.getByRole('button', { name: 'Link with Acme' }).click();
  await ada.page.getByText('The e-mail address or the password is wrong.').waitFor();
  await ada.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await ada.page.getByRole('button', { name: 'Link with Acme' }).click();
  await ada.page.waitForURL(`${origin}/new`);

  // The owner sees how each provider is, and what to enter there.
  await look(ada.page, shared(), {
    ...{ name: 'installation-sign-in', path: '/installation/sign-in', text: '2 people' },
  });
  await ada.page.getByText(`${origin}/api/oidc/acme/callback`).waitFor();
  await ada.page.getByText('127.0.0.1:9 could not be asked: nothing listens there.').waitFor();

  // Where a provider is required, the page says whose tokens go on without it.
  await ada.page.route('**/api/installation/sign-in', async (route) => {
    const response = await route.fetch();
    const { items, ...rest } = (await response.json()) as { items: SignInProvider[] };
    const told = { userId, email: 'ann@acme.example', name: 'Ann', tokens: 1 };
    const tokenHolders = [{ ...told, lastUsedAt: null, signedInAt: new Date(0).toISOString() }];
    const required = items.map((item) => ({ ...item, required: 'domains', tokenHolders }));
    await route.fulfill({ json: { ...rest, items: required.slice(0, 1) } });
  });
  await look(ada.page, shared(), {
    ...{ name: 'installation-sign-in-required', path: '/installation/sign-in' },
    text: /^1 token, never used · signed in with Acme \d+ years ago$/,
  });
  await ada.page.getByRole('link', { name: 'Ann' }).click();
  await ada.page.getByRole('button', { name: 'Disable' }).waitFor();

  // Who is in a group by a provider is in it by its name; one that is set no more has its id alone.
  const group = await ada.call<{ id: string }>('POST', '/installation/groups', { name: 'Support' });
  await ada.page.route('**/api/installation/groups/*/members*', async (route) => {
    const member = { userId, email: 'ann@acme.example', name: 'Ann', disabledAt: null };
    const items = [{ ...member, sources: ['local', 'oidc:acme', 'oidc:gone'] }];
    await route.fulfill({ json: { items, nextCursor: null } });
  });
  const page = { name: 'group-provider', path: `/installation/groups/${group.id}` };
  const text = 'by hand, sign-in with Acme, sign-in with gone';
  await look(ada.page, shared(), { ...page, text });

  await look(ada.page, shared(), {
    ...{ name: 'account-identities', path: '/account/security', text: `${owner.email} · linked` },
  });

  // Whoever said no, and a link that begins at once.
  provider.who = null;
  const nobody = await visitor();
  await nobody.page.goto(`${origin}/sign-in?with=acme&next=/new`);
  await nobody.page
    .getByText('Acme did not sign you in. Try again, or choose another way.')
    .waitFor();
  assert.equal(new URL(nobody.page.url()).searchParams.get('next'), '/new');
  // The page says nothing else than its own sentences.
  await nobody.page.goto(`${origin}/sign-in?problem=<b>Call+us</b>&provider=acme`);
  await nobody.page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
  assert.equal(await nobody.page.getByText('Call us').count(), 0);
});
