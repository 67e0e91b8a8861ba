import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Group } from '../../server/src/groups/group.ts';
import type { ReaderReport } from '../../server/src/readers/reader-report.ts';
import { screenshot, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { FITS } from '../support/look.ts';
import { deploy } from '../support/uploads.ts';

// On a phone no page scrolls sideways, as long as names and values may be.

const shared = sharedInstallation();

/** A browser that a person uses: others are not counted as readers. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft';
const LABEL = 'a'.repeat(63);
const HOST = `${LABEL}.${LABEL}.${LABEL}.example.com`;
const SLUG = 'a-slug-that-is-as-long-as-one-can-be-xxx';

/** What a box cuts off without saying so: a text that goes on has an ellipsis. */
const CUT_OFF = `[...document.querySelectorAll('main *:not(input)')].flatMap((element) => {
  const { overflowX, textOverflow } = getComputedStyle(element);
  const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1;
  return isCut && /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' ? [element.outerHTML.slice(0, 150)] : [];
})`;

test('no page scrolls sideways on a phone, as long as what it shows may be', async () => {
  const { origin, member, site, browser } = shared();
  const owner = await member();
  const { page, call, complaints } = owner;
  await call('PATCH', '/account', { name: WORD });
  const project = `/projects/${SLUG}`;
  await call('POST', '/projects', { name: WORD, slug: SLUG });
  await call('PUT', `${project}/plan`, { plan: 'pro' });
  const said = `&message=${WORD}${WORD}&commit=${'9f86d081'.repeat(5)}&commit-author=${WORD}`;
  const live = await deploy(owner, SLUG, WORD, `?${said.slice(1)}`);
  await deploy(owner, SLUG, WORD, `?branch=feature/${WORD}${said}`);
  const broken = `openapi: 3.1.0\ninfo: {title: X, version: '1'}\npaths:\n  /${WORD}/{${WORD}}:\n    get: {responses: {'200': {}}, parameters: [{name: ${WORD}, in: ${WORD}}]}\n`;
  const failed = await deploy(owner, SLUG, broken, '?strict=true');
  await call('POST', `${project}/domains`, { hostname: HOST });
  await call('POST', `${project}/webhooks`, { url: `https://example.com/${WORD}/${WORD}` });
  await call('POST', `${project}/tokens`, { name: WORD });
  const { publicKey } = generateKeyPairSync('ed25519');
  await call('POST', `${project}/access/keys`, {
    ...{ kid: WORD, publicKey: publicKey.export({ type: 'spki', format: 'pem' }) },
  });
  const email = `${'e'.repeat(64)}@${LABEL}.example.com`;
  await call('POST', `${project}/invitations`, { email, role: 'viewer' });
  const group = await call<Group>('POST', '/installation/groups', {
    name: `${WORD}${WORD}${WORD}`,
  });
  const visitor = await browser.newContext({ userAgent: USER_AGENT });
  const reader = await visitor.newPage();
  await reader.goto(site(SLUG));
  await reader.goto(`${site(SLUG)}/${WORD}/${WORD}/${WORD}`, { referer: `https://${HOST}/` });
  await visitor.close();
  await timeUntil(async () => {
    const { totals } = await call<ReaderReport>('GET', `${project}/readers`);
    return totals.missing === 1;
  });
  const { id } = await call<{ id: string }>('GET', '/session');

  const settings = `${project}/settings`;
  const places: Record<string, string> = {
    projects: '/',
    project,
    deploys: `${project}/deploys`,
    deploy: `${project}/deploys/${live.id}`,
    failed: `${project}/deploys/${failed.id}`,
    readers: `${project}/readers`,
    general: settings,
    access: `${settings}/access`,
    domains: `${settings}/domains`,
    domain: `${settings}/domains/${HOST}`,
    members: `${settings}/members`,
    notifications: `${settings}/notifications`,
    tokens: `${settings}/tokens`,
    audit: `${settings}/audit`,
    account: '/account',
    'account-tokens': '/account/tokens',
    people: '/installation/people',
    person: `/installation/people/${id}`,
    security: '/installation/security',
    quotas: '/installation/quotas',
    groups: '/installation/groups',
    group: `/installation/groups/${group.id}`,
    'installation-audit': '/installation/audit',
  };
  await page.setViewportSize({ width: 390, height: 844 });
  const cut: unknown[] = [];
  for (const [name, path] of Object.entries(places)) {
    await page.goto(origin + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await timeUntil(
      async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0,
    );
    await screenshot(page, `wide-${name}`);
    assert.ok(await page.evaluate(FITS), `${path} scrolls sideways`);
    const found = (await page.evaluate(CUT_OFF)) as string[];
    cut.push(...found.map((box) => `${path}: ${box}`));
  }
  assert.deepEqual(cut, []);
  assert.deepEqual(withoutRefusals(complaints), []);
});
