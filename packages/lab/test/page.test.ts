import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { seriousViolations, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { createLabControl } from '../src/lab-control.ts';
import { startLabDns } from '../src/lab-dns.ts';
import { servePage } from '../src/page-server.ts';
import { findPorts } from '../src/ports.ts';

const NAME = 'docs.example.test';

/** As the dashboard answers it. */
const DOMAIN = {
  hostname: NAME,
  isApex: false,
  state: 'active',
  url: `https://${NAME}:8093`,
  verdict: { code: 'verified', message: `${NAME} leads here.` },
  records: [{ type: 'CNAME', name: NAME, host: 'docs', value: 'abc.docs.localhost', ttl: 3_600 }],
};

test('the page shows what is in the DNS as text, and changes it', async (t) => {
  const { page, dns } = await startPage(t);
  const text = '<script>alert("1")</script>';
  const added = await post(page, '/records', { name: NAME, type: 'TXT', value: text });
  assert.equal(added.status, 303);
  const shown = await (await fetch(page)).text();
  assert.ok(shown.includes('&lt;script&gt;alert(&quot;1&quot;)'), shown);
  assert.ok(!shown.includes('<script>alert'));
  assert.equal(
    (await post(page, '/records/remove', { name: NAME, type: 'TXT', value: text })).status,
    303,
  );
  assert.deepEqual(dns.zones()[0]?.records, []);
  const again = await post(page, '/records/remove', { name: NAME, type: 'TXT', value: 'x' });
  assert.match(again.body, /There is no record docs\.example\.test TXT x\./);
});

test('the page refuses what no name server could answer with, and says why', async (t) => {
  const { page, dns } = await startPage(t);
  const cases = [
    [{ name: NAME, type: 'A', value: 'here' }, /The value of A must be such as 192\.0\.2\.7/],
    [{ name: NAME, type: 'SOA', value: 'x' }, /The type must be one of A, AAAA/],
    [{ name: 'no name', type: 'A', value: '192.0.2.7' }, /The name must be a whole name/],
    [{ name: 'docs.elsewhere.test', type: 'A', value: '192.0.2.7' }, /in none of the zones/],
    [{ name: NAME, type: 'CAA', value: 'issue' }, /The value of CAA must be such as 0 issue/],
  ] as const;
  for (const [record, sentence] of cases) {
    const { status, body } = await post(page, '/records', record);
    assert.equal(status, 400);
    assert.match(body, sentence);
  }
  const unknown = await post(page, '/scenario', { hostname: NAME, scenario: 'right' });
  assert.match(unknown.body, /Add it in the dashboard first/);
  assert.deepEqual(dns.zones()[0]?.records, []);
});

test('no page of another origin changes the lab, under whatever name it comes', async (t) => {
  const { page, dns } = await startPage(t);
  const record = { name: NAME, type: 'A', value: '192.0.2.7' };
  for (const headers of [{ origin: 'http://elsewhere.test' }, { 'sec-fetch-site': 'cross-site' }]) {
    assert.equal((await post(page, '/records', record, headers)).status, 403);
  }
  assert.deepEqual(dns.zones()[0]?.records, []);
  const asked = get(page, { headers: { host: 'elsewhere.test' } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 421);
  answer.resume();
  const policy = (await fetch(page)).headers.get('content-security-policy');
  assert.match(policy ?? '', /default-src 'none'/);
});

/** How often the page looks for what is new, in milliseconds. */
const LOOK_MS = 2_000;

test('the page shows by itself what becomes of domains, and leaves what is typed', async (t) => {
  const domains: object[] = [];
  const { page: address, dns } = await startPage(t, domains);
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  const { complaints } = watch(page);
  await page.clock.install();
  await page.goto(address);
  await page.getByText('None yet.').waitFor();
  await page.getByLabel('Value').fill('half typed');
  domains.push({ ...DOMAIN, state: 'unverified', verdict: null });
  await page.clock.fastForward(LOOK_MS);
  await page.getByText('Not checked yet.').waitFor();
  await page.getByText('What the DNS should have').click();
  domains[0] = DOMAIN;
  dns.add({ name: NAME, type: 'TXT', value: 'from elsewhere' });
  await page.clock.fastForward(LOOK_MS);
  await page.getByText(`${NAME} leads here.`).waitFor();
  await page.getByRole('cell', { name: 'from elsewhere' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /No record/ }).isVisible(), false);
  assert.equal(await page.getByLabel('Value').inputValue(), 'half typed');
  assert.deepEqual(complaints, []);
});

test('of a name that two projects claim, it says whose records it took', async (t) => {
  const { page } = await startPage(t, [DOMAIN], ['petstore', 'zoo']);
  const set = async (fields: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ hostname: NAME, scenario: 'right', ...fields });
    return (await fetch(`${page}/scenario`, { method: 'POST', headers, body })).text();
  };
  assert.match(await set({}), /records of the project petstore\. It is claimed by zoo, too/);
  assert.match(await set({ project: 'zoo' }), /records of the project zoo\./);
  assert.match(await set({ project: 'farm' }), /not yet a domain of the project farm/);
});

test('the page can be used in both themes and on a phone, under its own policy', async (t) => {
  const { page: address, dns } = await startPage(t, [DOMAIN]);
  const browser = await startBrowser(t);
  for (const [colorScheme, width] of [
    ['light', 1_280],
    ['dark', 360],
  ] as const) {
    const viewport = { width, height: 800 };
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(address);
    assert.deepEqual(await seriousViolations(page), []);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.equal(overflow, 0, 'nothing is cut off at the side');
    await page.close();
  }
  const page = await browser.newPage();
  const { complaints } = watch(page);
  await page.goto(address);
  const groups = await page.getByRole('group').allInnerTexts();
  assert.ok(groups.length > 2);
  for (const group of groups) assert.match(group, /\n/, `${group} has something to try`);
  await page.getByRole('button', { name: /An AAAA record beside the CNAME/ }).click();
  await page.getByText('Expect conflicting_record, although').waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    dns.zones()[0]?.records.map(({ type }) => type),
    ['CNAME', 'AAAA'],
  );
});

/** `domains`: what each of the projects has. */
async function startPage(
  t: TestContext,
  domains: readonly object[] = [],
  projects: readonly string[] = ['petstore'],
) {
  const dns = await startLabDns({ 'example.test': [] }, 0);
  cleanUp(t, dns.close);
  const call = <Answer>(_method: string, path: string) => {
    const items = path.includes('/domains') ? domains : projects.map((slug) => ({ slug }));
    return Promise.resolve({ items } as Answer);
  };
  const control = createLabControl({ dns, authority: { setRateLimited: () => {} }, call });
  const { page: port } = await findPorts(true);
  const served = await servePage(port, control, {
    dashboard: 'http://127.0.0.1:8091',
    project: 'petstore',
    email: 'owner@lab.localhost',
    password: 'secret',
    authority: 'pebble',
    rootFile: '/lab-root.pem',
    example: 'example.test',
  });
  cleanUp(t, served.close);
  return { page: `http://127.0.0.1:${port}`, dns };
}

async function post(
  page: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(page + path, { method: 'POST', body, headers, redirect: 'manual' });
  return { status: answer.status, body: await answer.text() };
}
