import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { json, startService } from '../support/service.ts';
import { testBrowser } from './support/test-browser.ts';
import { startTestProvider } from './support/test-provider.ts';

onBothEngines('whoever an allowed domain has gets an account at the first sign-in', async (t) => {
  const provider = await startTestProvider(t);
  const service = await startService(t, {
    oidc: [provider.config({ emailDomains: ['acme.example'] })],
  });
  provider.register(service.origin);
  await service.signUp('owner@example.com');
  provider.people.set('ann', { email: 'Ann@acme.example', email_verified: true, name: 'Ann A.' });
  provider.who = 'ann';
  const browser = testBrowser();
  assert.equal(await browser.signIn(service.origin, 'acme', '/new?x=1#y'), '/new?x=1');
  assert.equal(await browser.who(service.origin), 'ann@acme.example');
  const me = await json<{ name: string }>(
    await browser.call(service.origin, 'GET', '/api/session'),
  );
  assert.equal(me.name, 'Ann A.');
  // No cookie of the flow is left.
  assert.deepEqual([...browser.cookies(service.origin).keys()], ['dashboard_session']);
});
