import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { OperationData } from '../../src/request/operation-data.ts';
import { listen, serveSite, textOf } from './panel-page.ts';

const SCREENSHOTS = join(import.meta.dirname, '../../../../node_modules/.cache/screenshots/panel');

const HOUR_MS = 3_600_000;

function allow(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'authorization, content-type');
}

test('a reader gets a sandbox with one click, sees its end, and gets a new one', async (t) => {
  const seen: string[] = [];
  let status = 201;
  let count = 0;
  const api = await listen(t, async (request, response) => {
    allow(response);
    if (request.method === 'OPTIONS') return response.end();
    const { method, url, headers } = request;
    seen.push(`${method} ${url} ${headers.authorization ?? '-'} ${await textOf(request)}`);
    response.setHeader('content-type', 'application/json');
    if (url !== '/v1/sandboxes') return response.end('[]');
    count++;
    const until = new Date(Date.now() + HOUR_MS).toISOString();
    const message = 'This address has made 100 sandboxes within an hour.';
    response.statusCode = status;
    response.end(
      JSON.stringify(
        status === 201
          ? { given: { key: `pk_${count}`, until } }
          : { code: 'rate_limited', message },
      ),
    );
  });
  const data: OperationData = {
    ...{ method: 'GET', path: '/pets', title: 'List animals', servers: [{ url: `${api}/v1` }] },
    security: [[['apiKey']]],
    schemes: [
      {
        ...{ name: 'apiKey', type: 'http', scheme: 'bearer' },
        sandbox: { path: '/sandboxes', credential: '/given/key', expiresAt: '/given/until' },
      },
    ],
  };
  const site = await serveSite(t, data, { origins: [api] });
  const browser = await startBrowser(t);
  const page = await (await browser.newContext()).newPage();
  const { complaints } = watch(page);
  await page.clock.install();
  await page.goto(site);
  const open = () => page.getByRole('button', { name: 'Try it' }).click();
  await open();
  const panel = page.getByRole('dialog');
  await panel.getByText('It needs no account.').waitFor();
  await panel.getByText('This operation needs a token for').waitFor();
  await panel.getByRole('button', { name: 'Get a sandbox' }).click();
  await panel.getByText(/^Your sandbox ends (at|on) /).waitFor();
  assert.equal(await panel.getByText('This operation needs').count(), 0);
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByText('200 OK').waitFor();
  assert.deepEqual(seen, ['POST /v1/sandboxes - {}', 'GET /v1/pets Bearer pk_1 ']);
  assert.deepEqual(await seriousViolations(page), []);
  await screenshot(page, join(SCREENSHOTS, 'sandbox.png'));

  // It is the page's, so the panel of another operation has it, too, and knows its end.
  await page.keyboard.press('Escape');
  await open();
  await panel.getByText(/^Your sandbox ends/).waitFor();
  await page.clock.fastForward(HOUR_MS + 1_000);
  await panel.getByText('Your sandbox has ended.').waitFor();
  await panel.getByRole('button', { name: 'Get a new sandbox' }).click();
  // Not `waitForFunction`, of which the page's policy forbids all but the first attempt.
  const key = panel.getByLabel(/^apiKey/);
  await timeUntil(async () => (await key.inputValue()) === 'pk_2');

  // A key of the reader's own is none of a sandbox.
  await key.fill('own');
  await panel.getByRole('button', { name: 'Get a sandbox' }).waitFor();
  status = 429;
  await panel.getByRole('button', { name: 'Get a sandbox' }).click();
  await panel
    .getByText('The API gave no sandbox (429). This address has made 100 sandboxes within an hour.')
    .waitFor();
  assert.equal(await key.inputValue(), 'own', 'nothing is lost');
  assert.deepEqual(await page.evaluate('({ ...localStorage })'), {}, 'it stays in memory');
  assert.deepEqual(
    complaints.filter((text) => !/429/.test(text)),
    [],
  );
});
