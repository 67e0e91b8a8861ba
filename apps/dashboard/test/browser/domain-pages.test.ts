import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from '@petstore/test-support/browser.ts';
import type { Domain, DomainEvent } from '../../server/src/domains/domain.ts';
import { dialogOf } from '../support/dialog.ts';
import {
  active,
  added,
  checked,
  EVENTS,
  elsewhere,
  HOSTNAME,
  issuance,
  overdue,
  prepared,
  readyToMove,
  VERIFIED,
  verdict,
  verified,
} from '../support/domain-responses.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';
import { deploy } from '../support/uploads.ts';

// The pages of domains in the states that take an authority or hours to come about, by answers made up.

const shared = sharedInstallation({});
const click = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await dialogOf(page).waitFor();
};

const DOMAINS = '/projects/named/settings/domains';
const LIST_EMPTY = {
  name: 'domains-empty',
  path: DOMAINS,
  text: 'No domains yet',
  open: click('Add domain'),
};
const LINK = '/d/q2w3e4r5t6z7u2i3o4p5a6s7d2f3g4h5';

let opened: Promise<Page> | undefined;

/** A page of the one who owns the project that all tests here share. */
function projectPage(): Promise<Page> {
  opened ??= withProject();
  return opened;
}

async function withProject() {
  const { member } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'named' });
  await owner.call('PUT', '/projects/named/plan', { plan: 'pro' });
  await deploy(owner, 'named', 'Pets');
  return owner.page;
}

/** Has the server speak of these domains, the first of them being the one with a page. */
async function pretend(page: Page, ...domains: Domain[]) {
  const [domain] = domains;
  const events = domain?.certificate ? EVENTS : EVENTS.slice(-2);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route('**/api/projects/named/domains', (route) =>
    route.fulfill({ json: { items: domains, nextCursor: null } }),
  );
  await page.route(`**/api/projects/named/domains/${domain?.hostname}`, (route) =>
    route.fulfill({ json: domain }),
  );
  await page.route('**/domains/*/events', (route) =>
    route.fulfill({ json: { items: events, nextCursor: 'more' } }),
  );
  await page.route('**/api/domain-links/**', (route) =>
    route.fulfill({ json: { ...domain, projectName: 'Petstore' } }),
  );
}

const [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE] = VIEWS;

const CONFLICT = verdict('conflicting_record', {
  message: 'docs.example.com has an A record, beside which no CNAME can stand.',
  found: 'docs.example.com A 203.0.113.7, docs.example.com AAAA 2001:db8::7',
  remedy: 'Remove the A and AAAA records of docs.example.com, then create the CNAME.',
  remove: [
    { type: 'A', name: HOSTNAME, value: '203.0.113.7' },
    { type: 'AAAA', name: HOSTNAME, value: '2001:db8:0:1234::7' },
  ],
});

const TYPO = verdict('near_miss', {
  reason: 'target_typo',
  message:
    'The CNAME record of docs.example.com has almost the right value: character 4 is "1" and must be "2".',
  found: 'docs.example.com CNAME k7m1x9q4w3e8r5t6y1u0.docs.localhost',
  remove: [{ type: 'CNAME', name: HOSTNAME, value: 'k7m1x9q4w3e8r5t6y1u0.docs.localhost' }],
});

const CAA = verdict('caa_blocks', {
  message: 'A CAA record of example.com does not allow letsencrypt.org.',
  expected: 'no CAA record, or one that allows letsencrypt.org',
  found: 'example.com CAA 0 issue "ca.example"',
  remedy: 'Add the line below to example.com.',
  add: [
    {
      type: 'CAA',
      name: 'example.com',
      host: '@',
      value: '0 issue "letsencrypt.org"',
      ttl: 3_600,
    },
  ],
});

const BOOKS = added({
  hostname: 'xn--bcher-kva.example',
  unicode: 'bücher.example',
  isApex: true,
  records: [
    {
      type: 'ALIAS',
      name: 'xn--bcher-kva.example',
      host: '@',
      value: 'k7m2x9q4w3e8r5t6y1u0.docs.localhost',
      ttl: 3_600,
    },
    {
      type: 'TXT',
      name: '_docs-challenge.xn--bcher-kva.example',
      host: '_docs-challenge',
      value: 'docs-verify=q2w3e4r5t6z7u2i3o4p5a6s7d2f3g4h5',
      ttl: 3_600,
    },
  ],
});

test('domains are in order for everyone, in every state', async () => {
  const page = await projectPage();
  const named = (hostname: string) => ({ hostname, unicode: hostname, primary: false });
  await pretend(page);
  await look(page, shared(), LIST_EMPTY, [DARK_PHONE]);
  await pretend(
    page,
    active(),
    checked(verdict('no_record'), named('api.example.com')),
    verified(overdue(), named('old.example.com')),
    BOOKS,
  );
  await look(page, shared(), { name: 'domains', path: DOMAINS, text: BOOKS.unicode }, [
    LIGHT,
    DARK_PHONE,
  ]);

  const lookAt = async (
    name: string,
    domain: Domain,
    views: readonly (typeof VIEWS)[number][],
    open?: (page: Page) => Promise<void>,
  ) => {
    await pretend(page, domain);
    const path = `${DOMAINS}/${domain.hostname}`;
    const place = { name: `domain-${name}`, path, text: 'added the domain.' };
    await look(page, shared(), { ...place, ...(open && { open }) }, views);
  };
  await lookAt('new', BOOKS, [DARK_PHONE]);
  await lookAt('conflict', checked(CONFLICT), [DARK_PHONE]);
  await lookAt('typo', checked(TYPO), [DARK_PHONE, LIGHT]);
  await page.getByRole('cell', { name: 'Almost right' }).waitFor();
  await page.getByRole('status').getByText('Almost right').waitFor();
  await lookAt('caa', checked(CAA), [LIGHT_PHONE]);
  await lookAt('issuing', verified(issuance()), [LIGHT]);
  await lookAt('overdue', verified(overdue()), [DARK, LIGHT_PHONE]);
  await lookAt('elsewhere', elsewhere(), [LIGHT, DARK_PHONE]);
  await page.getByText('Asked now: ZeroSSL, in place of:').waitFor();
  await page.getByText('Google Trust Services may not: no CAA record allows').waitFor();
  await lookAt('active', active(), [LIGHT, LIGHT_PHONE]);
  await lookAt('moved', active({ movedAwayAt: added().createdAt, verdict: CONFLICT }), [DARK]);
  await page.getByRole('status').getByText('Moved away', { exact: true }).waitFor();
  await lookAt('hsts', active(), [LIGHT], click('Turn on'));
  await lookAt('remove', active(), [DARK_PHONE], click('Remove the domain'));
});

test('a domain that is prepared says at each stage what to do now', async () => {
  const page = await projectPage();
  const lookAt = async (
    name: string,
    domain: Domain,
    text: string,
    views: readonly (typeof VIEWS)[number][],
  ) => {
    await pretend(page, domain);
    await look(
      page,
      shared(),
      { name: `domain-${name}`, path: `${DOMAINS}/${HOSTNAME}`, text },
      views,
    );
  };
  const records = page.getByRole('table', { name: `DNS records of ${HOSTNAME}` });
  await lookAt('prepare', prepared(), 'Prepare the move', [LIGHT, DARK_PHONE]);
  await records.getByRole('cell', { name: 'Missing' }).waitFor();
  await records.getByRole('cell', { name: 'Later' }).waitFor();
  await lookAt('ready', readyToMove(), 'The certificate is here.', [DARK, LIGHT_PHONE]);
  await page.getByRole('status').getByText('Ready to move').waitFor();
  await records.getByRole('cell', { name: 'Change now' }).waitFor();
  await page.getByRole('link', { name: 'Rehearse the move' }).waitFor();
  await page.getByRole('link', { name: 'Watch the move' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Move away' }).count(), 0, 'it is not here');
  assert.equal(
    await page.getByRole('link', { name: 'Open site' }).count(),
    0,
    'it leads elsewhere',
  );
  const moved = readyToMove({ pointsHere: true, primary: true, verdict: VERIFIED });
  await lookAt('arrived', moved, 'Keep both records', [LIGHT]);
  await page.getByRole('link', { name: 'Open site' }).waitFor();
});

test('what is to be done comes first, and how it stands where all is done', async () => {
  const page = await projectPage();
  const firstCards = async (domain: Domain) => {
    await pretend(page, domain);
    await page.goto(`${shared().origin}${DOMAINS}/${HOSTNAME}`);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    return (await page.getByRole('heading', { level: 2 }).allInnerTexts()).slice(0, 2);
  };
  assert.deepEqual(await firstCards(added()), ['DNS records', 'DNS check']);
  assert.deepEqual(await firstCards(active()), ['DNS check', 'Certificate']);
  const half = readyToMove({ isWildcard: true, primary: false });
  assert.deepEqual(await firstCards(half), ['DNS records', 'DNS check'], 'a wildcard without *');
  const table = page.getByRole('table', { name: `DNS records of ${HOSTNAME}` });
  await table.getByRole('cell', { name: 'Missing' }).waitFor();
  await page.getByRole('status').getByText('Prepared', { exact: true }).first().waitFor();
  const left = active({ primary: false, movedAwayAt: added().createdAt });
  assert.deepEqual(await firstCards(left), ['DNS records', 'DNS check']);
  const primary = page.getByRole('button', { name: 'Make primary' });
  assert.equal(await primary.count(), 0, 'others would redirect to a name that leads elsewhere');
});

test('a site that is live elsewhere is prepared when it is added, or later', async () => {
  const page = await projectPage();
  await pretend(page);
  const asked: unknown[] = [];
  const answer = (domain: Domain) => async (route: Route) => {
    if (!['POST', 'PATCH'].includes(route.request().method())) return route.fallback();
    asked.push(route.request().postDataJSON());
    return route.fulfill({ json: domain });
  };
  await page.route('**/api/installation', async (route) => {
    const response = await route.fetch();
    return route.fulfill({ json: { ...(await response.json()), prepare: true } });
  });
  await page.route('**/api/projects/named/domains', answer(prepared()));
  const open = async () => {
    await click('Add domain')(page);
    await page.getByRole('textbox', { name: 'Host name' }).fill(HOSTNAME);
    await page.getByRole('checkbox', { name: 'Prepare first' }).check();
  };
  const place = { name: 'domains-prepare', path: DOMAINS, text: 'No domains yet', open };
  await look(page, shared(), place, [LIGHT, DARK_PHONE]);
  await page.route(`**/api/projects/named/domains/${HOSTNAME}`, (route) =>
    route.fulfill({ json: prepared() }),
  );
  await dialogOf(page).getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('Prepare the move').waitFor();

  // What was changed is what is answered from then on: the page asks again after it.
  await page.route(`**/api/projects/named/domains/${HOSTNAME}`, (route) =>
    route.fulfill({ json: asked.length === 1 ? added() : prepared() }),
  );
  await page.route(`**/api/projects/named/domains/${HOSTNAME}`, answer(prepared()));
  await page.reload();
  await page.getByText('Is the site live elsewhere now?').waitFor();
  await page.getByRole('button', { name: 'Prepare first' }).click();
  await page.getByText('Prepare the move').waitFor();
  assert.deepEqual(asked, [{ hostname: HOSTNAME, prepare: true }, { prepare: true }]);
});

test('a name that is typed to be added stays while the list behind it changes', async () => {
  const page = await projectPage();
  await pretend(page);
  await page.clock.install();
  await page.goto(`${shared().origin}${DOMAINS}`);
  await click('Add domain')(page);
  const field = page.getByRole('textbox', { name: 'Host name' });
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  const button = page.getByRole('button', { name: 'Add domain', exact: true });
  await button.and(page.locator(':focus')).waitFor();
  await click('Add domain')(page);
  await field.fill('api.example');
  await pretend(page, added());
  await page.clock.fastForward(20_000);
  await page.locator('main').getByText(HOSTNAME, { exact: true }).waitFor();
  assert.equal(await field.inputValue(), 'api.example');
});

test('a lost name and an authority that takes no more say what comes next', async () => {
  const page = await projectPage();
  const lookAt = async (domain: Domain, ...events: DomainEvent[]) => {
    await pretend(page, domain);
    const items = [...events, ...EVENTS.slice(-2)];
    await page.route('**/domains/*/events', (route) =>
      route.fulfill({ json: { items, nextCursor: null } }),
    );
    await page.goto(`${shared().origin}${DOMAINS}/${HOSTNAME}`);
  };
  const lost = {
    id: 9,
    at: added().createdAt,
    kind: 'lost',
    message: 'Lost.',
    details: {},
  } as const;
  await lookAt(added({ needsProof: true }), lost);
  await page.getByText('Another project holds this name').waitFor();
  await page.getByText('It has proven that the name is its own').waitFor();
  await page.getByRole('cell', { name: 'Not seen yet' }).waitFor();

  const { problem, ...rest } = overdue();
  assert.ok(problem);
  await lookAt(verified({ ...rest, problem: { ...problem, type: 'rateLimited' } }));
  await page.getByText('The certificate authority takes no more requests for now').waitFor();
  assert.equal(await page.getByText('tries left').count(), 0);
});

test('the link is in order for everyone who has it', async () => {
  const { page } = await shared().visitor();
  await pretend(page, checked(verdict('near_miss', { retryAfterSeconds: 840 })));
  await look(page, shared(), { name: 'link', path: LINK, text: 'Questions?' }, [DARK, LIGHT_PHONE]);
  await pretend(page, readyToMove());
  await look(page, shared(), { name: 'link-ready', path: LINK, text: 'Ready to move' }, [
    LIGHT,
    DARK_PHONE,
  ]);
});
