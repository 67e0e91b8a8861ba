import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Page, seriousViolations, settled } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { codeOf, wrongCode } from '../accounts/support/factors.ts';
import { dialogOf } from '../support/dialog.ts';
import {
  PASSWORD,
  screenshot,
  sharedInstallation,
  withoutRefusals,
} from '../support/installation.ts';
import { look } from '../support/look.ts';
import { said } from '../support/said.ts';

// Browsers make passkeys for names, and without TLS for this one alone.
const shared = sharedInstallation({ DASHBOARD_HOST: 'localhost', DASHBOARD_SIGN_UP: 'open' });

/** A device that has a fingerprint reader, whose owner always agrees: of the browser itself. */
async function addDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The first member, who owns the installation. */
let first: ReturnType<ReturnType<typeof shared>['member']> | undefined;
const owner = () => (first ??= shared().member());

const projects = (page: Page) => page.getByRole('heading', { name: 'Projects', level: 1 });

/** The secret that is shown to be typed. */
async function shownSecret(page: Page): Promise<string> {
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  return (await page.getByLabel('secret', { exact: true }).innerText()).replaceAll(' ', '');
}

test('an app and its recovery codes are set up, asked for, and run out', async () => {
  const { origin } = shared();
  const { page, email, complaints } = await owner();
  let secret = '';
  const open = async () => {
    await page.getByRole('button', { name: 'Set up an app' }).click();
    secret = await shownSecret(page);
  };
  const security = { path: '/account/security', text: 'Authenticator app' };
  await look(page, shared(), { ...security, name: 'factors-app', open });
  await page.getByRole('textbox', { name: 'Code' }).fill(wrongCode(secret, Date.now()));
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  await page.getByText('Must be the one that the app shows now').waitFor();
  const now = Date.now();
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, now));
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Save your recovery codes' });
  await dialog.getByRole('listitem').first().waitFor();
  const codes = await dialog.getByRole('listitem').allInnerTexts();
  assert.equal(codes.length, 10);
  assert.deepEqual(await seriousViolations(page), []);
  await screenshot(page, 'factors-recovery-codes');
  // Nothing but the button closes it.
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.match(await readFile(await download.path(), 'utf8'), new RegExp(codes.join('\n')));
  await dialog.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('10 of 10 are left').waitFor();
  await look(
    page,
    shared(),
    { name: 'factors-account', path: '/account/security', text: '10 of 10' },
    undefined,
    true,
  );

  await signOut(page);
  await enterPassword(page, email);
  await page.getByText('The six digits that your authenticator app shows.').waitFor();
  const asked = { name: 'factors-code', path: '/sign-in', text: 'The six digits' };
  await look(page, shared(), asked, undefined, true);
  // It goes on after a reload, and can be given up.
  await page.reload();
  await page.getByRole('button', { name: 'Sign in as someone else' }).click();
  await enterPassword(page, email);
  await page.getByRole('textbox', { name: 'Code' }).fill(wrongCode(secret, Date.now()));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The code is wrong.').waitFor();
  // Another than the one before, however long it took to come here.
  const later = Math.max(Date.now(), now + 30_000);
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, later));
  await page.getByRole('button', { name: 'Continue' }).click();
  await projects(page).waitFor();

  await signOut(page);
  await enterPassword(page, email);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await projects(page).waitFor();
  await page.goto(`${origin}/account/security`);
  await page.getByText('9 of 10 are left').waitFor();
  await page.getByText('with a password and a recovery code').waitFor();
  await page.getByRole('button', { name: 'Make new codes' }).click();
  await dialogOf(page).getByRole('button', { name: 'Make new codes' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('10 of 10 are left').waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('a passkey is added, named, signs in alone and after the password, and confirms', async () => {
  const { origin, member } = shared();
  const { page, email, call, complaints } = await member();
  await addDevice(page);
  await page.goto(`${origin}/account/security`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('On one device').waitFor();
  await page.getByRole('button', { name: 'Rename Passkey' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('My laptop');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await page.getByText('My laptop').waitFor();
  // The same device again.
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('This device has a passkey for your account already.').waitFor();
  await screenshot(page, 'factors-passkeys');

  // The device offers it in the field of the address, and its owner agrees. No page is open that would do so before.
  await page.goto('about:blank');
  await call('DELETE', '/session');
  await page.goto(`${origin}/sign-in`);
  await projects(page).waitFor();
  // A browser that cannot do that has a button.
  await page.goto('about:blank');
  await call('DELETE', '/session');
  await page.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  );
  await page.goto(`${origin}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await screenshot(page, 'factors-sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await projects(page).waitFor();
  await signOut(page);
  await enterPassword(page, email);
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await projects(page).waitFor();

  assert.deepEqual(withoutRefusals(complaints), []);
});

test('a sensitive change asks who it is in front of the page, and goes on', async () => {
  const { origin, member } = shared();
  const { page, complaints } = await member();
  await addDevice(page);
  await page.goto(`${origin}/account/tokens`);
  // The session began long ago: until somebody confirms it, every sensitive change is refused.
  let isConfirmed = false;
  await page.route('**/api/account/tokens', async (route) => {
    if (isConfirmed || route.request().method() !== 'POST') return route.continue();
    const body = { code: 'confirmation_required', message: 'Confirm that it is you.', status: 403 };
    return route.fulfill({ status: 403, json: body });
  });
  // Known before the page hears of it, which tries again at once.
  await page.route('**/api/session/confirmation', async (route) => {
    const response = await route.fetch();
    if (response.status() === 204) isConfirmed = true;
    await route.fulfill({ response });
  });
  const make = async () => {
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('CI');
    await page.getByRole('button', { name: 'Create the token' }).click();
  };
  await make();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password').fill('not my password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('The password is wrong.').waitFor();
  await screenshot(page, 'factors-confirm');
  assert.deepEqual(await seriousViolations(page), []);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You did not confirm that it is you, so nothing was changed.').waitFor();
  await page.getByRole('button', { name: 'Create the token' }).click();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  // The token is shown this once, in the dialog that asked for it.
  await page.getByText(/^dash_/).waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});

// The last ones: everyone has to have one.
test('where a factor is required, a newcomer sets one up before anything else', async () => {
  const { origin, visitor } = shared();
  const { page: theirs } = await owner();
  await theirs.goto(`${origin}/installation/security`);
  await theirs.getByRole('radio', { name: 'Everyone' }).click();
  await said(theirs, 'The policy is saved.');
  await theirs.getByRole('heading', { name: 'Without a second factor' }).waitFor();

  const { page, complaints } = await visitor();
  await addDevice(page);
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByRole('textbox', { name: 'Name' }).fill('Grace Hopper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('This installation requires a second factor.').waitFor();
  // Nothing else is there for them meanwhile.
  await page.goto(`${origin}/account`);
  const setUp = {
    name: 'factors-set-up',
    path: '/sign-in?next=%2Faccount',
    text: 'requires a second',
  };
  await look(page, shared(), setUp, undefined, true);
  await page.getByRole('button', { name: 'Use an authenticator app' }).click();
  await shownSecret(page);
  await page.reload();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('recovery codes stay until they are saved, whoever goes away meanwhile and comes back', async () => {
  const { origin, visitor } = shared();
  const { call } = await owner();
  await call('POST', '/projects', { name: 'Codes', slug: 'codes' });
  const invite = async (email: string) => {
    const body = { email, role: 'viewer' };
    return (await call<{ link: string }>('POST', '/projects/codes/invitations', body)).link;
  };
  const signUp = async (page: Page, action: string) => {
    await page.getByRole('textbox', { name: 'Name' }).fill('Alan Turing');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: action }).click();
  };
  const ways = {
    async signUp(page: Page, email: string) {
      await page.goto(`${origin}/sign-up?next=%2Faccount`);
      await page.getByLabel('E-mail address').fill(email);
      await signUp(page, 'Create account');
    },
    async signIn(page: Page, email: string) {
      const { call: callAs } = await visitor();
      await callAs('POST', '/sign-up', { email, password: PASSWORD, name: 'Alan Turing' });
      await page.goto(`${origin}/sign-in?next=%2Faccount`);
      await enterPassword(page, email);
    },
    async invitation(page: Page, email: string) {
      await page.goto(await invite(email));
      await signUp(page, 'Create account and accept');
    },
  };
  const ends = { signUp: 'Profile', signIn: 'Profile', invitation: 'Codes' };
  for (const way of ['signUp', 'signIn', 'invitation'] as const) {
    const { page, complaints } = await visitor();
    await addDevice(page);
    await page.clock.install();
    await ways[way](page, `${way}@example.com`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.nth(9).waitFor();

    const underWay = new Set<unknown>();
    page.on('request', (request) => underWay.add(request));
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    const asked = page.waitForResponse('**/api/installation');
    await page.clock.fastForward(60_000);
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    // What else the page asks for then.
    await asked;
    await timeUntil(async () => underWay.size === 0);
    await settled(page);
    assert.equal(await codes.count(), 10, way);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: ends[way], level: 1 }).waitFor();
    assert.deepEqual(withoutRefusals(complaints), [], way);
  }
});
