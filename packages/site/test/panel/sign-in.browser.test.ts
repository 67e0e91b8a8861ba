import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import type { FlowData, OperationData } from '../../src/request/operation-data.ts';
import { listen, serveSite, textOf } from './panel-page.ts';

/** An API that answers 200 to pages of other sites, and what was sent to it. */
async function startApi(t: TestContext) {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
  const url = await listen(t, (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'authorization');
    if (request.method !== 'OPTIONS') {
      seen.push({ url: request.url ?? '', headers: request.headers });
    }
    response.end('[]');
  });
  return { url, seen };
}

/**
 * An authorization server of the two old flows: it sends a token back in the fragment, or gives one for a name and a
 * password. `refusal`: the error with which it answers instead.
 */
async function startAuthorizationServer(t: TestContext, refusal: Record<string, string> = {}) {
  const asked: URLSearchParams[] = [];
  const url = await listen(t, async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'authorization');
    if (request.method === 'OPTIONS') return response.end();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://a');
    if (pathname === '/authorize') {
      asked.push(searchParams);
      const state = searchParams.get('state') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      const given = 'error' in refusal ? refusal : { access_token: 'implicit', expires_in: '60' };
      back.hash = String(new URLSearchParams({ ...given, state }));
      return response.writeHead(302, { location: back.href }).end();
    }
    asked.push(new URLSearchParams(await textOf(request)));
    response.setHeader('content-type', 'application/json');
    response.statusCode = 'error' in refusal ? 400 : 200;
    response.end(JSON.stringify('error' in refusal ? refusal : { access_token: 'password' }));
  });
  return { url, asked };
}

/** The panel of an operation that needs a token of this flow, in its page. */
async function open(t: TestContext, api: string, flow: FlowData, origins: readonly string[]) {
  const data: OperationData = {
    method: 'GET',
    path: '/pets',
    title: 'List pets',
    servers: [{ url: api }],
    security: [[['oauth', ['read']]]],
    schemes: [{ name: 'oauth', type: 'oauth2', flows: [flow] }],
  };
  return openPanel(t, data, origins);
}

async function openPanel(t: TestContext, data: OperationData, origins: readonly string[]) {
  const site = await serveSite(t, data, { origins });
  const page = await (await (await startBrowser(t)).newContext()).newPage();
  const watched = watch(page);
  await page.goto(site);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('dialog').waitFor();
  return { page, site, ...watched };
}

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('status').filter({ hasText: '200' }).waitFor();
}

const SCOPES = [['read', 'Read pets.'], ['write']] as const;

test('the implicit flow brings a token back in the fragment, without a secret', async (t) => {
  const [api, server] = [await startApi(t), await startAuthorizationServer(t)];
  const authorizationUrl = `${server.url}/authorize`;
  const flow: FlowData = { type: 'implicit', authorizationUrl, scopes: SCOPES };
  const { page, site, complaints } = await open(t, api.url, flow, [api.url]);
  assert.equal(await page.getByLabel(/Client secret/).count(), 0);
  await page.getByLabel('Client ID').fill('client');
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText('There is a token.').waitFor();
  const [asked] = server.asked;
  assert.deepEqual(
    ['response_type', 'client_id', 'scope', 'redirect_uri'].map((name) => asked?.get(name)),
    ['token', 'client', 'read', `${site}/_assets/oauth-callback.html`],
  );
  assert.equal(asked?.has('code_challenge'), false, 'there is no code that one would prove');
  await send(page);
  assert.equal(api.seen.at(-1)?.headers.authorization, 'Bearer implicit');
  assert.deepEqual(await seriousViolations(page), []);
  assert.deepEqual(complaints, []);
});

test('the password flow sends the name and the password to the authorization server alone, and keeps neither', async (t) => {
  const [api, server] = [await startApi(t), await startAuthorizationServer(t)];
  const flow: FlowData = { type: 'password', tokenUrl: `${server.url}/token`, scopes: SCOPES };
  const { page, complaints } = await open(t, api.url, flow, [api.url, server.url]);
  await page.getByLabel('User name').fill('me');
  await page.getByLabel('Password').fill('secret words');
  await page.getByLabel('Client ID').fill('client');
  await page.getByLabel('Remember my keys in this browser').check();
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText('There is a token.').waitFor();
  assert.deepEqual(Object.fromEntries(server.asked[0] ?? []), {
    grant_type: 'password',
    username: 'me',
    password: 'secret words',
    scope: 'read',
    client_id: 'client',
  });
  await send(page);
  assert.equal(api.seen.at(-1)?.headers.authorization, 'Bearer password');
  assert.doesNotMatch(
    String(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])')),
    /secret words/,
  );
  assert.deepEqual(complaints, []);
});

test('a refused sign-in says what the authorization server says', async (t) => {
  const refusal = { error: 'access_denied', error_description: 'Not for you' };
  const [api, server] = [await startApi(t), await startAuthorizationServer(t, refusal)];
  const said = 'The authorization server refused: access_denied, Not for you.';
  const authorizationUrl = `${server.url}/authorize`;
  const implicit = await open(t, api.url, { type: 'implicit', authorizationUrl }, [api.url]);
  await implicit.page.getByRole('button', { name: 'Get a token' }).click();
  await implicit.page.getByText(said).waitFor();

  const tokenUrl = `${server.url}/token`;
  const password = await open(t, api.url, { type: 'password', tokenUrl }, [api.url, server.url]);
  await password.page.getByRole('button', { name: 'Get a token' }).click();
  await password.page.getByText(said).waitFor();
  assert.equal(await password.page.getByLabel(/^oauth/).inputValue(), '');
});

test('cookies are named as what a page cannot send, and stand in the curl command', async (t) => {
  const api = await startApi(t);
  const data: OperationData = {
    method: 'GET',
    path: '/pets',
    title: 'List pets',
    servers: [{ url: api.url }],
    parameters: [
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ],
    security: [[['key']]],
    schemes: [{ name: 'key', type: 'apiKey', in: 'cookie', key: 'token' }],
  };
  const { page, complaints } = await openPanel(t, data, [api.url]);
  const cookies = page.getByRole('heading', { name: 'Cookies' }).locator('..');
  await cookies.getByText("A page's script cannot set cookies").waitFor();
  await page.getByText('the API expects the cookie “token”').waitFor();
  assert.equal(await page.getByText('were not sent').count(), 0, 'nothing was entered');
  await page.getByLabel(/^session/).fill('a b');
  await page.getByLabel(/^key/).fill('k');
  await page.getByLabel(/^limit/).fill('5');
  await send(page);
  await page.getByText('The cookies were not sent').waitFor();
  const [seen] = api.seen;
  assert.deepEqual([seen?.url, seen?.headers.cookie], ['/pets?limit=5', undefined]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied').waitFor();
  assert.match(
    await page.evaluate(() => navigator.clipboard.readText()),
    /'Cookie: session=a%20b; token=k'/,
  );
  assert.deepEqual(complaints, []);
});

test('texts of right-to-left scripts stand in their own direction, and turn nothing around', async (t) => {
  const api = await startApi(t);
  const hebrew = 'מחזיר את החיות לפי status (v1.2)!';
  const data: OperationData = {
    method: 'GET',
    path: '/pets',
    title: hebrew,
    servers: [{ url: api.url }],
    parameters: [{ name: 'סטטוס', in: 'query', schema: { type: 'string' }, description: hebrew }],
  };
  const { page, complaints } = await openPanel(t, data, [api.url]);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const text of await page.getByRole('dialog').getByText(hebrew).all()) {
    // The first letter is the rightmost of its line, and the mark at the end stands left of the letter before it.
    const [first, second, last, end] = await text.evaluate(
      (place, offsets) => {
        const [node] = place.childNodes;
        return offsets.map((offset) => {
          const range = new Range();
          range.setStart(node as Node, offset);
          range.setEnd(node as Node, offset + 1);
          return range.getBoundingClientRect().left;
        });
      },
      [0, 1, hebrew.length - 2, hebrew.length - 1],
    );
    assert.ok(Number(first) > Number(second) && Number(last) > Number(end), 'turned around');
  }
  await page.getByLabel(/^סטטוס/).fill('זמין');
  await send(page);
  assert.equal(decodeURIComponent(api.seen[0]?.url ?? ''), '/pets?סטטוס=זמין');
  assert.deepEqual(complaints, []);
});
