import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { zipOf } from '../../support/archives.ts';
import { type BuiltArtifact, buildInMemory } from '../../support/build-site.ts';
import { startTestEdge } from '../support/edge.ts';
import { call, putOnline, send } from '../support/mcp.ts';
import { MemorySource } from '../support/memory-source.ts';

// The tools of a site with several APIs.

const documentOf = (title: string, own: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: `https://${own}.example.com` }],
    paths: {
      [`/${own}/{id}`]: { get: { operationId: `get-${own}`, summary: `Get of ${own}` } },
      '/health': { get: { operationId: 'getHealth', summary: 'Is it up?' } },
    },
  });

let acme: BuiltArtifact;
before(async () => {
  const files = {
    'docs.yaml':
      'title: Acme\nreferences:\n  - { openapi: a.json, address: payments }\n  - { openapi: b.json, address: accounts }\n',
    'a.json': documentOf('Payments', 'charges'),
    'b.json': documentOf('Accounts', 'members'),
    'start.md': '# Start\n',
  };
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  const result = await buildInMemory({ kind: 'zip', bytes: zipOf(entries), name: 'docs' });
  assert.ok('artifact' in result, JSON.stringify(result));
  acme = result.artifact;
});

async function start(t: Parameters<typeof startTestEdge>[0]) {
  const source = new MemorySource();
  putOnline(source, 'a.test', acme);
  return startTestEdge(t, { source });
}

test('an operation is found in whichever API has it, with its page', async (t) => {
  const { port } = await start(t);
  for (const [wanted, api, page] of [
    [{ operationId: 'get-charges' }, 'payments', '/reference/payments/operations/get-charges'],
    [
      { method: 'get', path: '/members/7' },
      'accounts',
      '/reference/accounts/operations/get-members',
    ],
    [
      { operationId: 'getHealth', api: 'accounts' },
      'accounts',
      '/reference/accounts/operations/getHealth',
    ],
    [
      { method: 'GET', path: '/health', api: 'payments' },
      'payments',
      '/reference/payments/operations/getHealth',
    ],
  ] as const) {
    const { text } = await call(port, 'get_operation', wanted);
    const found = JSON.parse(text);
    assert.deepEqual([found.api, found.page], [api, `https://a.test${page}`], text);
    const server = api === 'payments' ? 'charges' : 'members';
    assert.equal(found.servers[0].url, `https://${server}.example.com`);
  }
});

test('where several APIs have an operation, the answer says how to name one', async (t) => {
  const { port } = await start(t);
  for (const [wanted, message] of [
    [
      { operationId: 'getHealth' },
      'Several APIs have the operationId getHealth. Give api, which is payments (Payments) or accounts (Accounts).',
    ],
    [
      { method: 'GET', path: '/health' },
      'Several APIs have the operation GET /health. Give api, which is payments (Payments) or accounts (Accounts).',
    ],
    [
      { operationId: 'get-chargs' },
      'No API of this site has the operationId get-chargs. Did you mean get-charges? The tool search finds operations.',
    ],
    [
      { operationId: 'get-charges', api: 'accounts' },
      'There is no operation with the operationId get-charges. The tool search finds operations.',
    ],
    [
      { operationId: 'get-charges', api: 'refunds' },
      'There is no API refunds. Give api, which is payments (Payments) or accounts (Accounts).',
    ],
    [{}, 'Give operationId, or method and path together.'],
  ] as const) {
    const { isError, text } = await call(port, 'get_operation', wanted);
    assert.ok(isError);
    assert.equal(text, message);
  }
});

test('search is over all APIs, and its results name theirs', async (t) => {
  const { port } = await start(t);
  const { text } = await call(port, 'search', { query: 'getHealth' });
  const { results } = JSON.parse(text) as { results: { api?: string; title: string }[] };
  const apis = results.filter(({ title }) => title === 'Is it up?').map(({ api }) => api);
  assert.deepEqual(apis.sort(), ['accounts', 'payments']);
  const guide = JSON.parse((await call(port, 'search', { query: 'start' })).text).results[0];
  assert.deepEqual([guide.title, guide.api], ['Start', undefined]);
  const { result } = await send(port, 'tools/list');
  const tools = result?.tools as { name: string; inputSchema: { properties: object } }[];
  const tool = tools.find(({ name }) => name === 'get_operation');
  assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}), [
    ...['api', 'operationId', 'method', 'path'],
  ]);
});
