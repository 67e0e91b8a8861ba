import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import type { ZoneRecord, ZoneRecordType } from '@petstore/lab/name-server/zone-record.ts';
import { findPorts } from '@petstore/lab/ports.ts';
import type { Page } from '@petstore/test-support/browser.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { type Internet, startInternet } from '../domains/support/internet.ts';
import { authority as stranger } from '../edge/support/certificates.ts';
import { dialogOf } from '../support/dialog.ts';
import {
  PASSWORD,
  screenshot,
  sharedInstallation,
  type Visitor,
  withoutRefusals,
} from '../support/installation.ts';
import { trustRoot } from '../support/trust-root.ts';
import { openApiFile } from '../support/uploads.ts';

const ONE = 'docs.example.test';
const TWO = 'api.example.test';
const STRANGER = 'stranger.example.test';

const DAY_MS = 24 * 3_600_000;

let internet: Internet;
let tlsPort = 0;
let home = '';

const shared = sharedInstallation(
  async () => {
    const ports = await findPorts(true);
    tlsPort = ports.https;
    internet = await startInternet(FILE, {
      httpPort: ports.http,
      tlsPort,
      certificateLifetimeMs: 90 * DAY_MS,
    });
    home = await temporaryFolder(FILE);
    await trustRoot(home, internet.authority.rootPem);
    return {
      ...internet.env,
      DASHBOARD_SIGN_UP: 'open',
      EDGE_HTTP_PORT: `${ports.http}`,
      EDGE_HTTPS_PORT: `${tlsPort}`,
    };
  },
  () => ({ args: ['--host-resolver-rules=MAP *.example.test 127.0.0.1'], home }),
);

/**
 * From a typed name to a padlock, and back, as a person has it: all is read from pages, and done on them.
 * Each test goes on where the one before ended.
 */
describe('a custom domain in a browser', () => {
  const records = new Map<string, readonly ZoneRecord[]>();
  let page: Page;
  let complaints: Visitor['complaints'];
  /** A tab in which visitors look at the site. */
  let tab: Page;

  before(async () => {
    ({ page, complaints } = await shared().visitor());
  });

  test('is added by who has signed up, made a project and deployed a document', async (t) => {
    t.diagnostic(internet.kind);
    await page.goto(shared().origin);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Pets');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.locator('input[type=file]').setInputFiles(openApiFile('Pets'));
    await page.getByRole('log').getByText('Succeeded, and live.').waitFor();
    // From here on nothing is loaded anew: what changes on the page does so by itself.
    await page.evaluate('globalThis.isStillHere = true');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('button', { name: 'Change to Pro' }).click();
    await dialog().getByRole('button', { name: 'Change the plan' }).click();
    await page.getByRole('link', { name: 'Domains' }).click();
    await addDomain(ONE);
    await look('journey-added');
  });

  test('is told what is wrong with a record, what to remove and what to add', async () => {
    const [wanted] = await recordsOnPage(ONE);
    assert.equal(`${wanted?.type} ${wanted?.name}`, `CNAME ${ONE}`);
    await setRecords(ONE, [{ name: ONE, type: 'CNAME', value: 'pets.docs.localhost' }]);
    await verify();
    const check = card('DNS check');
    const toRemove = check.getByRole('listitem').getByText(`${ONE} CNAME pets.docs.localhost`);
    await toRemove.waitFor();
    await check.getByText(`${wanted?.value}`).first().waitFor();
    await page.getByRole('cell', { name: 'Another value' }).waitFor();
    await look('journey-wrong');
  });

  test('is verified with the record that the page shows, and active without a reload', async () => {
    await createRecordsOnPage(ONE);
    await watchSteps();
    await verify();
    await certified();
    const steps = page.getByRole('list', { name: 'Steps of the certificate' });
    await steps.getByText('Issued: done').waitFor();
    assert.equal(await steps.getByText(': done').count(), 5);
    const seen: string[] = await page.evaluate('stepsSeen');
    assert.match(seen[0] ?? '', /^Requested: done.*: running/);
    assert.equal(seen.includes(''), false, 'the steps stay until all are done');
    assert.equal(await page.evaluate('globalThis.isStillHere'), true);
    await look('journey-active');
  });

  test('opens over HTTPS, by a browser that trusts the root of the authority and checks all the rest', async () => {
    tab = await openSite();
    await tab.getByRole('heading', { name: 'Pets' }).first().waitFor();
    assert.equal(tab.url(), address(ONE));
  });

  test('is not opened by the browser with a certificate of anyone else', async (t) => {
    const { key, chain } = await stranger.issue(STRANGER);
    const server = createServer({ key, cert: chain }, (_, response) => response.end('Pets'));
    cleanUp(t, () => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = await page.context().newPage();
    await assert.rejects(other.goto(`https://${STRANGER}:${port}/`), /ERR_CERT_AUTHORITY_INVALID/);
    await other.close();
  });

  test('leads to the primary one when it is the second', async () => {
    await page.getByRole('link', { name: 'All domains' }).click();
    await addDomain(TWO);
    await createRecordsOnPage(TWO);
    await verify();
    await certified();
    const second = await openSite();
    await second.getByRole('heading', { name: 'Pets' }).first().waitFor();
    assert.equal(second.url(), address(ONE));
    await second.close();
  });

  test('becomes the primary one with a click, and the one before leads to it', async () => {
    await page.getByRole('button', { name: 'Make primary' }).click();
    await dialog().getByRole('button', { name: 'Make primary' }).click();
    await page.getByText('Primary', { exact: true }).waitFor();
    await tab.goto(`${address(ONE)}?from=bookmark`);
    await tab.getByRole('heading', { name: 'Pets' }).first().waitFor();
    assert.equal(tab.url(), `${address(TWO)}?from=bookmark`);
  });

  test('is gone from browsers once its name was typed to remove it, and the other goes on', async () => {
    await page.getByRole('button', { name: 'Remove the domain' }).click();
    await dialog().getByLabel(`Type ${TWO} to confirm`).fill(TWO);
    await look('journey-removal');
    await dialog().getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('link', { name: ONE }).waitFor();
    await page.getByRole('link', { name: TWO }).waitFor({ state: 'detached' });
    await look('journey-removed');
    await assert.rejects(tab.reload(), /net::ERR_/);
    await tab.waitForURL('chrome-error://chromewebdata/');
    await tab.goto(address(ONE));
    await tab.getByRole('heading', { name: 'Pets' }).first().waitFor();
    assert.equal(tab.url(), address(ONE));
    assert.equal(await page.evaluate('globalThis.isStillHere'), true);
    assert.deepEqual(withoutRefusals(complaints), []);
  });

  const dialog = () => dialogOf(page);

  const address = (host: string) => `https://${host}:${tlsPort}/`;

  /** The part of the page under a heading. */
  const card = (title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });

  async function addDomain(host: string): Promise<void> {
    await page.getByRole('button', { name: 'Add domain' }).click();
    await dialog().getByRole('textbox', { name: 'Host name' }).fill(host);
    await dialog().getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { name: host }).waitFor();
  }

  function verify(): Promise<void> {
    return page.getByRole('button', { name: 'Verify', exact: true }).click();
  }

  /** Waits for what the page comes to say without a reload. */
  function certified(): Promise<void> {
    return page.getByRole('status').getByText('Active', { exact: true }).waitFor();
  }

  /** The records to create, as the table on the page has them. */
  async function recordsOnPage(host: string): Promise<ZoneRecord[]> {
    const table = page.getByRole('table', { name: `DNS records of ${host}` });
    const body = table.locator('tbody').getByRole('row');
    await body.first().waitFor();
    const rows = await body.all();
    return Promise.all(
      rows.map(async (row) => {
        const part = (column: number) =>
          row.getByRole('cell').nth(column).locator('code').last().innerText();
        const [type, name, value] = await Promise.all([part(0), part(1), part(2)]);
        return { type: type as ZoneRecordType, name, value };
      }),
    );
  }

  /** Does in the DNS what the page asks for. */
  async function createRecordsOnPage(host: string): Promise<void> {
    await setRecords(host, await recordsOnPage(host));
  }

  async function setRecords(host: string, its: readonly ZoneRecord[]): Promise<void> {
    records.set(host, its);
    await internet.setRecords([...records.values()].flat());
  }

  async function openSite(): Promise<Page> {
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open site' }).click(),
    ]);
    return opened;
  }

  /** Notes what the page says of the steps, from nothing on: they may go by within a moment. */
  async function watchSteps(): Promise<void> {
    await page.evaluate(`
      globalThis.stepsSeen = [];
      new MutationObserver(() => {
        const steps = document.querySelector('ol[aria-label="Steps of the certificate"]');
        const seen = steps ? steps.textContent : '';
        if (seen !== (stepsSeen.at(-1) ?? '')) stepsSeen.push(seen);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
  }

  /** Pictures of the page, wide and narrow. */
  async function look(name: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await screenshot(page, `${name}-light-1280`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    await screenshot(page, `${name}-dark-360`);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.emulateMedia({ colorScheme: 'light' });
  }
});
