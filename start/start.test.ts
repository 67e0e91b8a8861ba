import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { bannerOf, start } from './support.ts';

/** A page of a hosted site: browsers resolve names under localhost themselves, fetch does not. */
function getFromSite(
  site: string,
  headers = {},
): Promise<{ status: number | undefined; text: string }> {
  const { host, port, pathname } = new URL(site);
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path: pathname,
      headers: { host, ...headers },
    });
    asked.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.end();
  });
}

test('npm start serves the API, the dashboard and the site of the API, and finds all again after a restart', async (t) => {
  const folder = await temporaryFolder(t);
  const first = start(t, folder);
  const { api, docs, dashboard } = await bannerOf(first);
  const curl = /curl .*/.exec(first.output.stdout)?.[0] ?? '';
  const headers = { authorization: `Bearer ${/pk_live_\w{38}/.exec(curl)?.[0]}` };
  const created = await fetch(/\S+$/.exec(curl)?.[0] ?? '', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: /-d '([^']+)'/.exec(curl)?.[1] ?? '',
  });
  assert.equal(created.status, 201, 'the line to try works as printed');
  assert.equal(created.headers.get('access-control-allow-origin'), null);
  const pet = await created.text();

  const page = await getFromSite(docs);
  assert.equal(page.status, 200);
  assert.match(page.text, /Petstore/);
  const document = await getFromSite(`${docs}/openapi.json`);
  assert.match(document.text, /9223372036854775807/, 'the document kept every digit');
  const fromSite = await fetch(`${api}/pets`, { headers: { ...headers, origin: docs } });
  assert.equal(
    fromSite.headers.get('access-control-allow-origin'),
    docs,
    'the panel may call the API',
  );

  const [, email, password] = /Sign in +(\S+) +password (\S+)/.exec(first.output.stdout) ?? [];
  const signedIn = await fetch(`${dashboard}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  assert.equal(signedIn.status, 200, 'the first sign-in works as printed');

  first.child.kill('SIGTERM');
  await finished(first);
  for (const origin of [new URL(api).origin, dashboard]) {
    await assert.rejects(fetch(`${origin}/livez`), 'it went with npm');
  }
  await assert.rejects(getFromSite(docs));

  const second = start(t, folder);
  const again = await bannerOf(second);
  assert.equal(await (await fetch(`${again.api}/pets`, { headers })).text(), `[${pet}]`);
  assert.equal((await getFromSite(again.docs)).text, page.text);
  assert.doesNotMatch(second.output.stdout, /pk_live_|password/);
  second.child.kill('SIGINT');
  await finished(second);
});

test('npm start ends with a sentence when a port is taken, and leaves nothing running', async (t) => {
  const folder = await temporaryFolder(t);
  const first = start(t, folder);
  const { dashboard } = await bannerOf(first);
  const other = await temporaryFolder(t);
  const second = start(t, other, { DASHBOARD_PORT: new URL(dashboard).port });
  const { code, stderr, stdout } = await finished(second);
  assert.notEqual(code, 0);
  assert.match(stderr, /Port \d+ on 127\.0\.0\.1 is taken/);
  assert.doesNotMatch(stdout, /Try it/);
  first.child.kill('SIGTERM');
  await finished(first);
});
