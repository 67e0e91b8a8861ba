import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { plainText } from '@petstore/site/openapi/plain-text.ts';
import { built, contentOf, fixture, textOf } from '../../support/build-site.ts';

const base = { openapi: '3.1.0', info: { title: 'T', version: '1' } };

const ok = { responses: { 200: { description: 'x' } } };

const policyOf = async (document: object) =>
  (await built({ ...base, ...document })).manifest.contentSecurityPolicy;

const connects = (policy: string) =>
  policy
    .split('; ')
    .find((directive) => directive.startsWith('connect-src'))
    ?.split(' ')
    .slice(2);

test('a site has its page, its documents, texts for programs, and what browsers ask for', async () => {
  const artifact = await built(await fixture('code-hosting.json'));
  const paths = Object.keys(artifact.manifest.files);
  for (const path of [
    ...['/', '/404.html', '/favicon.svg', '/openapi.json', '/openapi.yaml', '/llms.txt'],
    ...['/llms-full.txt', '/sitemap.xml', '/robots.txt', '/.well-known/api-catalog', '/index.md'],
    ...['/reference/repos', '/reference/repos/repos-get', '/reference/repos/repos-get.md'],
    ...['/reference/repos/repos-get-2', '/reference/operations/get-zen', '/reference/models'],
    ...['/reference/webhooks/post-issue.opened', '/_site/navigation.json', '/_site/search.json'],
  ]) {
    assert.ok(paths.includes(path), `${path} is not in ${paths.join(' ')}`);
  }
  assert.deepEqual(paths, paths.toSorted());
  assert.match(
    textOf(artifact, '/llms.txt'),
    /\[Get a repository\]\(\{\{origin\}\}\/reference\/repos\/repos-get\.md\): GET \/repos/,
  );
  assert.match(textOf(artifact, '/llms-full.txt'), /# Change a repository/);
  assert.match(textOf(artifact, '/robots.txt'), /Sitemap: \{\{origin\}\}\/sitemap\.xml/);
});

test('every blob is named by its hash; what compresses is stored compressed alone, each form smaller', async () => {
  const { manifest, blobs } = await built(await fixture('payments.yaml'));
  for (const [path, entry] of Object.entries(manifest.files)) {
    const content = contentOf(entry, blobs);
    assert.equal(blobs.has(entry.hash), entry.codings === undefined, path);
    assert.equal(hash('sha256', content, 'hex'), entry.hash);
    assert.equal(content.length, entry.size);
    for (const [coding, { hash: codedHash, size }] of Object.entries(entry.codings ?? {})) {
      const coded = blobs.get(codedHash) as Uint8Array;
      assert.equal(hash('sha256', coded, 'hex'), codedHash);
      const back = coding === 'br' ? brotliDecompressSync(coded) : gunzipSync(coded);
      assert.ok(back.equals(content), `${path} in ${coding}`);
      assert.ok(size < entry.size);
    }
    if (entry.template) assert.equal(entry.codings, undefined);
    if (entry.immutable) assert.match(path, /[-/][0-9a-f]{16}\.\w+$/);
  }
});

test('the same document makes the same artifact, another one another', async () => {
  const document = { ...base, paths: { '/a': { get: ok } } };
  const first = await built(document);
  assert.equal((await built(structuredClone(document))).hash, first.hash);
  const other = await built({ ...document, paths: { '/b': { get: ok } } });
  assert.notEqual(other.hash, first.hash);
});

test('the page may call the servers that the document, its paths and its operations name, and no others', async () => {
  const policy = await policyOf({
    servers: [
      { url: 'https://API.example:443/v1' },
      { url: '/v2' },
      { url: 'ftp://files.example' },
      {
        url: 'https://{region}.example:{port}',
        variables: { region: { default: 'eu', enum: ['us', 'eu'] }, port: { default: '8443' } },
      },
      { url: "https://a.example; script-src 'unsafe-inline' *" },
      { url: 'https://*.example' },
      { url: 'javascript:alert(1)' },
    ],
    paths: {
      '/a': {
        servers: [{ url: 'http://path.example' }],
        get: { ...ok, servers: [{ url: 'http://[::1]:8080/x' }] },
      },
    },
  });
  assert.deepEqual(connects(policy), [
    'https://api.example',
    'https://eu.example:8443',
    'https://us.example:8443',
    // The port may be any.
    'https://eu.example:*',
    'https://us.example:*',
    'http://path.example',
    'http://[::1]:8080',
  ]);
  assert.ok(policy.includes("script-src 'self';"), policy);
});

test('a policy names forty origins at most, however many a server with variables stands for', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `h${at}`);
  const variable = { default: 'h0', enum: many };
  const url = 'https://{a}.{b}.{c}.example';
  const policy = await policyOf({
    servers: [{ url, variables: { a: variable, b: variable, c: variable } }],
    paths: {},
  });
  assert.equal(connects(policy)?.length, 40);
});

test('nothing in a document breaks out of its place in Markdown', async () => {
  const artifact = await built({
    ...base,
    paths: {
      '/a': {
        get: {
          operationId: '../../etc/passwd',
          summary: 'A [link](http://x) <b>\n# Heading',
          parameters: [
            {
              name: 'a|b`c',
              in: 'query',
              description: 'one | two\n\n| three <script>',
              schema: { enum: ['`|`'] },
            },
          ],
          requestBody: { content: { 'application/json': { example: '```\n# out' } } },
          responses: { 200: { description: 'x\n\n# Heading' } },
        },
      },
    },
  });
  const text = textOf(artifact, '/reference/operations/etc-passwd.md');
  assert.match(text, /^# A \\\[link\\\]\(http:\/\/x\) &lt;b> \\# Heading\n/);
  const [row = ''] = text.match(/^\| ``.*$/m) ?? [];
  assert.equal(row.replace(/\\\|/g, '').split('|').length, 7, row);
  assert.ok(row.includes('one \\| two \\| three &lt;script>'));
  assert.match(text, /### 200: x # Heading\n/);
});

test('schemas that hold themselves are shown once', async () => {
  const artifact = await built(await fixture('code-hosting.json'));
  const text = textOf(artifact, '/reference/webhooks/post-issue.opened.md');
  assert.match(text, /`children`: array of `tree`\n {4}- each item: `tree` \(as above\)/);
});

test('what an operation asks for is in the command that sends it', async () => {
  const artifact = await built(await fixture('payments.yaml'));
  const text = textOf(artifact, '/reference/charges/createCharge.md');
  assert.match(text, /curl 'https:\/\/api\.payments\.example\/v1\/charges'/);
  assert.match(text, /--header 'Authorization: Bearer YOUR_TOKEN'/);
  assert.match(text, /--header 'Account-Id: ACCOUNT_ID'/);
  assert.match(text, /"number": "4242424242424242"/);
  assert.match(textOf(artifact, '/reference/charges/listCharges.md'), /"id": 9007199254740993/);
});

test('Markdown becomes plain text on a line', () => {
  assert.equal(plainText().of('# A\n\n*b* [c](http://d) `e` <b>f</b>\n\n- g'), 'A b c e f g');
});
