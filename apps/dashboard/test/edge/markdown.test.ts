import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { prefersMarkdown } from '../../server/src/edge/http/accept.ts';
import { type Answer, startTestEdge } from './support/edge.ts';
import { HTML, MARKDOWN, POLICY, page, SITE } from './support/memory-source.ts';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

test('Markdown is preferred only by who names it and weighs it no less than HTML', () => {
  const cases: readonly [accept: string | undefined, isMarkdown: boolean][] = [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/*', false],
    [CHROME, false],
    ['application/json', false],
    ['text/markdown', true],
    ['Text/Markdown', true],
    ['text/markdown; charset=UTF-8', true],
    ['text/markdown;q=0.001', true],
    ['text/markdown;q=0', false],
    ['text/markdown;q=0, text/html;q=0', false],
    ['text/markdown;q=2', false],
    ['text/markdown, text/html;q=0.9', true],
    ['text/html;q=0.9, text/markdown', true],
    ['text/markdown;q=0.9, text/html', false],
    ['text/markdown;q=0.5,*/*', false],
    ['text/markdown;q=0.5,text/*;q=0.4,*/*', true],
    ['text/markdown, */*', true],
    ['*/*, text/markdown', true],
    ['text/markdown, text/html, */*', true],
    ['text/html, text/markdown', false],
    ['text/markdown;variant=GFM, text/html', false],
    ['text/markdown;variant=GFM, text/markdown', true],
    ['text/markdownx', false],
    ['x-text/markdown', false],
    [',;,text/markdown;;q=1', true],
  ];
  for (const [accept, expected] of cases) assert.equal(prefersMarkdown(accept), expected, accept);
});

/** What a client that wants Markdown, and one that does not, get of a site at `a.test` with these files. */
async function startEdgeWith(t: Parameters<typeof startTestEdge>[0], files = SITE) {
  const edge = await startTestEdge(t);
  edge.source.deploy('a.test', files);
  edge.invalidate(['project of a.test']);
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    edge.ask(path, { method, headers });
  const markdown = (path: string, headers: Record<string, string> = {}, method?: string) =>
    get(path, { accept: 'text/markdown', ...headers }, method);
  return { ...edge, get, markdown };
}

test('a page is served as Markdown to who prefers that, and as itself to all others', async (t) => {
  const { get, markdown } = await startEdgeWith(t);
  // The first of each comes from the store, the second from memory.
  for (const time of ['first', 'second']) {
    const { headers, body } = await markdown('/reference/pets');
    const { etag, date: _, connection: __, ...others } = headers;
    assert.match(String(body), /^# Pets/, time);
    assert.match(etag ?? '', /^"[\w-]{22}"$/);
    assert.deepEqual(others, {
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-length': String(body.length),
      'content-location': '/reference/pets.md',
      'content-type': MARKDOWN,
      link: '<https://a.test/reference/pets>; rel="canonical"',
      'referrer-policy': 'strict-origin-when-cross-origin',
      vary: 'Accept, Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    for (const accept of [CHROME, '*/*']) {
      const html = await get('/reference/pets', { accept });
      assert.equal(html.headers['content-type'], HTML, accept);
      assert.equal(html.headers.vary, 'Accept, Accept-Encoding');
      assert.equal(html.headers['content-location'], undefined);
      assert.match(String(html.body), /^<h1>Pets/);
    }
  }
  const packed = await markdown('/reference/pets', { 'accept-encoding': 'gzip' });
  assert.match(String(gunzipSync(packed.body)), /^# Pets/);
  for (const path of ['/', '/logo.svg', '/nope', '/pets.md']) {
    const [one, other] = [await get(path), await markdown(path)];
    assert.equal(one.headers['content-type'], other.headers['content-type'], path);
    assert.ok(one.body.equals(other.body), 'there is no other form');
    assert.doesNotMatch(one.headers.vary ?? '', /\bAccept\b(?!-)/);
  }
});

test('the start page and a page that is a template have Markdown as others do', async (t) => {
  const template = { type: MARKDOWN, text: '# At {{origin}}/', isTemplate: true };
  const { markdown } = await startEdgeWith(t, {
    ...{ '/': page('start'), '/index.md': template },
    ...{ '/a': page('a'), '/a.md': { type: 'text/plain', text: 'no Markdown' } },
  });
  const { headers, body } = await markdown('/');
  assert.equal(String(body), '# At https://a.test/');
  assert.equal(headers['content-location'], '/index.md');
  assert.equal(headers.link, '<https://a.test/>; rel="canonical"');
  assert.equal(String((await markdown('/a')).body), 'a');
});

test('each form of a page has tags of its own, for HEAD, ranges and conditions', async (t) => {
  const { get, markdown } = await startEdgeWith(t);
  const tagOf = ({ headers }: Answer) => headers.etag ?? '';
  const [html, text] = [await get('/reference/pets'), await markdown('/reference/pets')];
  const byItself = await get('/reference/pets.md');
  const packed = await markdown('/reference/pets', { 'accept-encoding': 'br' });
  assert.equal(new Set([html, text, byItself, packed].map(tagOf)).size, 4);

  const head = await markdown('/reference/pets', {}, 'HEAD');
  assert.deepEqual({ ...head.headers, date: '' }, { ...text.headers, date: '' });
  assert.equal(head.body.length, 0);

  const known = await markdown('/reference/pets', { 'if-none-match': tagOf(text) });
  assert.equal(known.status, 304);
  assert.equal(known.headers.vary, 'Accept, Accept-Encoding');
  assert.equal(known.headers['content-location'], '/reference/pets.md');
  for (const other of [html, byItself, packed]) {
    const answer = await markdown('/reference/pets', { 'if-none-match': tagOf(other) });
    assert.equal(answer.status, 200);
    const matched = await markdown('/reference/pets', { 'if-match': tagOf(other) });
    assert.equal(matched.status, 412);
  }
  const part = await markdown('/reference/pets', { range: 'bytes=0-5', 'if-range': tagOf(text) });
  assert.equal(part.status, 206);
  assert.equal(String(part.body), '# Pets');
});

test('pages and their Markdown name each other and the catalog; search engines list the pages alone', async (t) => {
  const catalog = { type: 'application/linkset+json', text: '{}' };
  const { get, source } = await startEdgeWith(t);
  const linkOf = async (path: string) => (await get(path)).headers.link;
  assert.equal(
    await linkOf('/reference/pets'),
    '<https://a.test/reference/pets>; rel="canonical", </reference/pets.md>; rel="alternate"; type="text/markdown"',
  );
  assert.equal(
    await linkOf('/reference/pets.md'),
    '<https://a.test/reference/pets>; rel="canonical"',
  );
  assert.equal(await linkOf('/pets.md'), undefined, 'it has no page');
  assert.equal(await linkOf('/llms.txt'), undefined);
  for (const path of Object.keys(SITE)) {
    const { 'x-robots-tag': robots } = (await get(encodeURI(path))).headers;
    assert.equal(robots, path.endsWith('.md') ? 'noindex' : undefined, path);
  }
  const files = {
    ...{ '/': page(''), '/ü': page(''), '/ü.md': { type: MARKDOWN, text: '' } },
    ...{ '/.well-known/api-catalog': catalog, '/_assets/oauth-callback.html': page('') },
  };
  source.deploy('b.test', files, { origin: 'https://docs.example.com' });
  const { headers } = await get('/%C3%BC', { host: 'b.test' });
  assert.equal(
    headers.link,
    '<https://docs.example.com/%C3%BC>; rel="canonical", </%C3%BC.md>; rel="alternate"; type="text/markdown", </.well-known/api-catalog>; rel="api-catalog"',
  );
  const callback = await get('/_assets/oauth-callback.html', { host: 'b.test' });
  assert.equal(callback.headers['content-security-policy'], POLICY, 'every HTML file has it');
});
