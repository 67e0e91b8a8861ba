import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { DomainMove, DomainTraffic } from '../../server/src/domains/move/domain-move.ts';
import { dialogOf } from '../support/dialog.ts';
import { active, HOSTNAME } from '../support/domain-responses.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';
import { deploy } from '../support/uploads.ts';

// The board of a move and the page of leaving, in states that take hours to come about, by answers made up.

const shared = sharedInstallation({});
const [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE] = VIEWS;
const PATH = `/projects/moving/settings/domains/${HOSTNAME}`;
const TARGET = 'k7m2x9q4w3e8r5t6y1u0.docs.localhost';
const MINUTE = 60_000;

const instant = (inMs: number) => new Date(Date.now() + inMs).toISOString();

const traffic = (more: Partial<DomainTraffic> = {}): DomainTraffic => ({
  isCounted: true,
  isQuiet: false,
  lastRequestAt: instant(-20_000),
  minutes: [2, 1, 5, 0, 12, 31, 44].map((requests, i) => ({
    at: new Date(Math.floor(Date.now() / MINUTE + i - 6) * MINUTE).toISOString(),
    requests,
  })),
  ...more,
});

type Server = DomainMove['servers'][number];

const server = (name: string, kind: Server['kind'], more: Partial<Server> = {}): Server => ({
  ...{ name, kind, address: kind === 'zone' ? '192.0.2.53' : null, answer: 'new' },
  ...{ records: [{ type: 'CNAME', value: TARGET }], ttlSeconds: 3_600, error: null },
  ...more,
});

const OLD: Partial<Server> = {
  answer: 'old',
  records: [{ type: 'CNAME', value: 'acme-corporation.old-documentation-host.example' }],
};

const certificate: DomainMove['certificates'][number] = {
  address: '198.51.100.20',
  ...{ family: 'IPv4', serves: 'ours', issuer: "Let's Encrypt", problem: null },
  notAfter: instant(60 * 24 * 60 * MINUTE),
};

const moving = (more: Partial<DomainMove> = {}): DomainMove => ({
  ...{ hostname: HOSTNAME, target: TARGET, at: instant(0), state: 'moving' },
  servers: [
    server('ns1.dns-provider.example', 'zone'),
    server('ns2.dns-provider.example', 'zone'),
    server('ns3.dns-provider.example', 'zone', {
      ...{ answer: 'error', records: [], ttlSeconds: null },
      error: 'The query was not answered in time.',
    }),
    server('192.0.2.1:53', 'resolver', { ttlSeconds: 3_540 }),
    server('1.1.1.1:53', 'resolver', { ...OLD, ttlSeconds: 590 }),
    server('9.9.9.9:53', 'resolver', { answer: 'none', records: [], ttlSeconds: 55 }),
  ],
  everyoneBy: instant(48 * MINUTE),
  certificates: [
    certificate,
    { ...certificate, address: '203.0.113.7', serves: 'other', issuer: 'Old Authority' },
    {
      ...{ address: '2001:db8:0:1234::7', family: 'IPv6', serves: 'unknown' },
      ...{ issuer: null, notAfter: null, problem: 'The dashboard’s machine has no IPv6.' },
    },
  ],
  traffic: traffic(),
  wayBack: {
    records: [
      {
        ...{ type: 'CNAME', name: HOSTNAME, ttlSeconds: 3_600 },
        value: 'acme-corporation.old-documentation-host.example',
      },
    ],
    ...{ seenAt: instant(-3 * 24 * 60 * MINUTE), answers: true, answeredAt: instant(0) },
    answer: 'It answers over HTTPS with status 200.',
  },
  ...more,
});

const done = (): DomainMove => ({
  ...moving({ state: 'done', everyoneBy: instant(-MINUTE), certificates: [certificate] }),
  servers: [
    server('ns1.dns-provider.example', 'zone'),
    server('1.1.1.1:53', 'resolver', { ttlSeconds: 3_000 }),
  ],
});

let opened: Promise<Page> | undefined;

function projectPage(): Promise<Page> {
  opened ??= (async () => {
    const owner = await shared().member();
    await owner.call('POST', '/projects', { name: 'Petstore', slug: 'moving' });
    await owner.call('PUT', '/projects/moving/plan', { plan: 'pro' });
    await deploy(owner, 'moving', 'Pets');
    await owner.call('POST', '/projects/moving/domains', { hostname: HOSTNAME });
    return owner.page;
  })();
  return opened;
}

/** Has the server speak of this domain so. Returns how often the move was asked for. */
async function pretend(
  page: Page,
  domain: Domain,
  of: { move?: DomainMove; traffic?: DomainTraffic },
) {
  let asked = 0;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route(`**/api${PATH.replace('/settings', '')}`, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: domain }) : route.continue(),
  );
  await page.route('**/api/projects/moving/domains/*/move', (route) => {
    asked++;
    return route.fulfill({ json: of.move });
  });
  await page.route('**/api/projects/moving/domains/*/traffic', (route) =>
    route.fulfill({ json: of.traffic }),
  );
  return () => asked;
}

test('a move is on a board that runs down, and asks no more once it is done', async () => {
  const page = await projectPage();
  await pretend(page, active({ hsts: { maxAgeSeconds: 2_592_000, includeSubdomains: false } }), {
    move: moving(),
  });
  const path = `${PATH}/move`;
  await look(page, shared(), { name: 'move', path, text: 'The move is under way' });
  await page.getByText('2 of 3 have the new record, 1 without an answer').waitFor();
  await page.getByText('1 of 3 have it').waitFor();
  await page.getByText('HSTS is on here').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: '1.1.1.1' });
  const left = () => row.locator('time').innerText();
  // However long the looks at the page took.
  const first = await left();
  assert.match(first, /^\d:[0-5]\d$/);
  await timeUntil(async () => (await left()) !== first);
  assert.ok((await left()) < first, 'less than before');

  const servers = [server('ns1.dns-provider.example', 'zone', OLD)];
  const before = moving({ state: 'before', everyoneBy: null, servers, certificates: [] });
  await pretend(page, active({ pointsHere: false }), { move: before });
  await look(
    page,
    shared(),
    { name: 'move-before', path, text: 'The record has not changed yet' },
    [LIGHT, DARK_PHONE],
  );

  await page.clock.install();
  const asked = await pretend(page, active(), { move: done() });
  await look(page, shared(), { name: 'move-done', path, text: 'The move is done' }, [
    DARK,
    LIGHT_PHONE,
  ]);
  const before60 = asked();
  await page.clock.fastForward(60_000);
  await page.getByText('not asked any more').waitFor();
  // What the page asked for meanwhile has come by once this has.
  await page.evaluate((path) => fetch(path), `/api${PATH.replace('/settings', '')}/traffic`);
  assert.equal(asked(), before60);
});

test('leaving takes the site along, and the domain is removed with one click when nobody comes any more', async () => {
  const page = await projectPage();
  const hsts = { maxAgeSeconds: 2_592_000, includeSubdomains: true };
  await pretend(page, active({ hsts }), { traffic: traffic() });
  const path = `${PATH}/leave`;
  await look(page, shared(), { name: 'leave', path, text: 'What to do elsewhere' });
  await page.getByText('for 30 days after their last visit, for all names below').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the site' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `${HOSTNAME}.tar.gz`);
  assert.equal(await download.failure(), null);

  const away = active({
    movedAwayAt: instant(-9 * 24 * 60 * MINUTE),
    pointsHere: false,
    prepare: true,
  });
  await pretend(page, away, {
    traffic: traffic({ isQuiet: true, minutes: [], lastRequestAt: instant(-8 * 24 * 60 * MINUTE) }),
  });
  await look(
    page,
    shared(),
    { name: 'leave-quiet', path, text: 'Nobody asked for it here for a week' },
    [LIGHT, DARK_PHONE],
  );
  await page.getByRole('button', { name: 'Remove the domain' }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('No domains yet').waitFor();
});
