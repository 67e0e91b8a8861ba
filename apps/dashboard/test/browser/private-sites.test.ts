import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { seriousViolations } from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { screenshot, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { FITS, look, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

test('an owner makes a site private, and visitors come in by password and by account', async () => {
  const installation = shared();
  const { origin, site, visitor, member } = installation;
  const owner = await member();
  const { page } = owner;
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  await deploy(owner, 'petstore', 'Pets');
  const address = site('petstore');
  const settings = '/projects/petstore/settings/access';

  await page.goto(origin + settings);
  await page.getByRole('radio', { name: 'Everything' }).click();
  await said(page, 'The site and its previews are private.');
  await page.getByRole('button', { name: 'Set a password' }).click();
  const password = await page.getByRole('textbox', { name: 'Password' }).inputValue();
  assert.match(password, /^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Copy the password now').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const preview = page.frameLocator('iframe');
  await preview.getByRole('heading', { name: 'Petstore' }).waitFor();
  await preview.getByLabel('Password').waitFor();
  await look(page, installation, {
    ...{ name: 'site-access', path: settings, text: 'What a visitor sees' },
    open: () => preview.getByLabel('Password').waitFor(),
  });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 1_900 });
  await preview.getByLabel('Password').waitFor();
  await screenshot(page, 'site-access-preview');
  assert.deepEqual(withoutRefusals(owner.complaints), []);

  // A visitor, on a phone and a desk, without scripts.
  const reader = await visitor();
  await reader.page.goto(`${address}/reference/operations/listPets`);
  for (const view of VIEWS) {
    await reader.page.emulateMedia({ colorScheme: view.colorScheme });
    await reader.page.setViewportSize({ width: view.width, height: 740 });
    assert.ok(await reader.page.evaluate(FITS));
    await screenshot(reader.page, `private-site-${view.name}`);
    assert.deepEqual(await seriousViolations(reader.page, { colorsOnly: false }), [], view.name);
  }
  await reader.page.getByLabel('Password').fill('a wrong one');
  await reader.page.getByRole('button', { name: 'Continue' }).click();
  await reader.page.getByRole('alert').getByText('The password is wrong.').waitFor();
  await screenshot(reader.page, 'private-site-wrong');
  await reader.page.getByLabel('Password').fill(password);
  await reader.page.getByRole('button', { name: 'Continue' }).click();
  await reader.page.waitForURL(`${address}/reference/operations/listPets`);
  await reader.page.getByRole('heading', { name: 'List pets' }).first().waitFor();

  // It can be ended, too.
  await reader.page.goto(`${address}/_access/sign-in`);
  await screenshot(reader.page, 'private-site-signed-in');
  await reader.page.getByRole('button', { name: 'Sign out' }).click();
  await reader.page.getByText('This documentation is private.').waitFor();

  // With an account, through the dashboard, which asks for it first.
  const colleague = await member();
  await colleague.page.goto(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await colleague.page.getByText('may not read this site').waitFor();
  await screenshot(colleague.page, 'private-site-stranger');
  await page.goto(origin + settings);
  await page.getByRole('switch', { name: 'Everyone with an account here' }).click();
  await said(page, 'Who may read is changed.');
  await colleague.page.goto(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await colleague.page.waitForURL(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('heading', { name: 'List pets' }).first().waitFor();
  assert.deepEqual(withoutRefusals(colleague.complaints), []);

  // The owner signs everyone out, and the reader signs in again.
  await page.goto(origin + settings);
  await page.getByRole('button', { name: 'Sign everyone out' }).click();
  const question = page.getByRole('dialog', { name: 'Sign everyone out?' });
  await question.getByText('All readers are out within a second').waitFor();
  await screenshot(page, 'site-access-sign-out');
  await question.getByRole('button', { name: 'Sign everyone out' }).click();
  await said(page, '1 session ended.');
  await page.getByText('Nobody is.').waitFor();
  await timeUntil(async () => (await colleague.page.goto(`${address}/`))?.status() === 401);
  await colleague.page.getByText('This documentation is private.').waitFor();

  // Nobody is signed in to the dashboard, so it asks first.
  const guest = await visitor();
  await guest.page.goto(`${address}/reference/operations/listPets`);
  await guest.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await guest.page.getByLabel('E-mail').fill(colleague.email);
  await guest.page.getByLabel('Password').fill('correct horse battery');
  await guest.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await guest.page.waitForURL(`${address}/reference/operations/listPets`);
});

test('a page of another site below the same domain learns nothing of what a reader may see', async (t) => {
  const { site, visitor, member } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Secrets', slug: 'secrets' });
  await deploy(owner, 'secrets', 'Pets');
  await owner.call('PUT', '/projects/secrets/access/password', { password: 'a shared password' });
  await owner.call('PATCH', '/projects/secrets/access', { private: 'everything' });
  const address = site('secrets');
  const { page: reader } = await visitor();
  await reader.goto(`${address}/_access/sign-in`);
  await reader.getByLabel('Password').fill('a shared password');
  await reader.getByRole('button', { name: 'Continue' }).click();
  await reader.getByRole('heading', { name: 'Pets' }).first().waitFor();

  // Another project's site, whose owner has a script of analytics in it.
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title>');
  });
  cleanUp(t, () => evil.close());
  await once(evil.listen(0, '127.0.0.1'), 'listening');
  await reader.goto(`http://evil.docs.localhost:${(evil.address() as AddressInfo).port}/`);
  /** What the page sees of an address: how it loads in each way, and whether a window with it can be reached. */
  const seen = (path: string) =>
    reader.evaluate(async (url) => {
      const loads = (element: HTMLElement) => {
        const { promise, resolve } = Promise.withResolvers<string>();
        element.onload = () => resolve('load');
        element.onerror = () => resolve('error');
        document.head.append(element);
        return promise;
      };
      const { assign } = Object;
      const opened = window.open(url);
      const results = [
        await loads(assign(document.createElement('link'), { rel: 'prefetch', href: url })),
        await loads(assign(document.createElement('link'), { rel: 'stylesheet', href: url })),
        await loads(assign(document.createElement('img'), { src: url })),
        await loads(assign(document.createElement('script'), { src: url })),
      ];
      // Once the window has the address, it is out of reach, as if it were closed.
      const deadline = performance.now() + 30_000;
      while (opened?.closed === false && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return [...results, opened?.closed];
    }, address + path);
  const missing = await seen('/nothing');
  assert.deepEqual(missing, ['error', 'error', 'error', 'error', true]);
  for (const path of ['/', '/index.md', '/favicon.svg'])
    assert.deepEqual(await seen(path), missing, path);
});
