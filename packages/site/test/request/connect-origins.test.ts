import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectOrigins, declaredAddresses } from '../../src/request/connect-origins.ts';

const variable = (value: string, values?: readonly string[]) => ({
  default: value,
  ...(values && { enum: values }),
});

const SERVERS: readonly [url: string, variables: Record<string, unknown>, origins: string[]][] = [
  ['https://api.example.com/v1', {}, ['https://api.example.com']],
  ['/v1', {}, []],
  [
    'https://{r}.example.com',
    { r: variable('eu', ['eu', 'us']) },
    ['https://eu.example.com', 'https://us.example.com'],
  ],
  [
    'https://{t}.example.com/{v}',
    { t: variable('demo'), v: variable('1') },
    ['https://demo.example.com', 'https://*.example.com'],
  ],
  [
    'https://a-{t}.example.com:8443',
    { t: variable('b') },
    ['https://a-b.example.com:8443', 'https://*.example.com:8443'],
  ],
  ['http://localhost:{p}', { p: variable('80') }, ['http://localhost', 'http://localhost:*']],
  // Never any host.
  ['https://{t}.com', { t: variable('example') }, ['https://example.com']],
  ['https://{host}', { host: variable('example.com') }, ['https://example.com']],
  ['https://api.{t}.example.com', { t: variable('b') }, ['https://api.b.example.com']],
  ['{s}://example.com', { s: variable('https') }, ['https://example.com']],
  ["https://a;script-src 'unsafe-inline'", {}, []],
  ['https://*', {}, []],
  ['https://user@{t}.example.com', { t: variable("x; script-src '*'") }, []],
  ['javascript:alert(1)', {}, []],
];

test('a policy lets the panel reach what the document declares, and never any host', () => {
  for (const [url, variables, origins] of SERVERS) {
    assert.deepEqual(connectOrigins([{ servers: [{ url, variables }] }]), origins, url);
  }
});

test('addresses that give tokens out are declared too, and all together are bounded', () => {
  const flow = {
    authorizationUrl: 'https://login.example.com/authorize',
    tokenUrl: 'https://token.example.com/t',
    refreshUrl: 'https://refresh.example.com',
  };
  const securitySchemes = {
    a: { type: 'oauth2', flows: { authorizationCode: flow } },
    b: {
      type: 'openIdConnect',
      openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration',
    },
  };
  assert.deepEqual(connectOrigins([{ components: { securitySchemes } }]), [
    'https://token.example.com',
    'https://refresh.example.com',
    'https://id.example.com',
  ]);
  const servers = Array.from({ length: 99 }, (_, at) => ({ url: `https://a${at}.example.com` }));
  assert.equal(connectOrigins([{ servers }]).length, 40);
});

test('of several documents each has its first origins in the policy, and all together are bounded', () => {
  const documentOf = (name: string, count: number) => ({
    servers: Array.from({ length: count }, (_, at) => ({
      url: `https://${name}${at}.example.com`,
    })),
  });
  const origins = connectOrigins([documentOf('a', 99), documentOf('b', 1), documentOf('c', 2)]);
  assert.equal(origins.length, 40);
  for (const origin of [
    'https://b0.example.com',
    'https://c1.example.com',
    'https://a36.example.com',
  ])
    assert.ok(origins.includes(origin), origin);
  const many = Array.from({ length: 50 }, (_, at) => documentOf(`d${at}x`, 2));
  assert.equal(connectOrigins(many).length, 50);
  assert.equal(connectOrigins([documentOf('a', 1), documentOf('a', 1)]).length, 1);
});

test('the addresses of a document have its paths, up to what a reader may choose', () => {
  const anything = { t: variable('demo'), v: variable('1') };
  const rows: [url: string, addresses: string[]][] = [
    ['https://api.example.com', ['https://api.example.com/']],
    ['HTTPS://API.example.com:443/v1/?a#b', ['https://api.example.com/v1']],
    ['https://api.example.com/a/../v 1', ['https://api.example.com/v%201']],
    ['https://api.example.com//evil.example/x', ['https://api.example.com//evil.example/x']],
    ['https://a.example.com/x/v{v}/y', ['https://a.example.com/x/v1/y', 'https://a.example.com/x']],
    [
      'https://{t}.example.com/{v}',
      [
        ...['https://demo.example.com/1', 'https://*.example.com/1'],
        ...['https://demo.example.com/', 'https://*.example.com/'],
      ],
    ],
    ['/v1', []],
    ['file:///etc', []],
  ];
  for (const [url, addresses] of rows) {
    const declared = declaredAddresses({ servers: [{ url, variables: anything }] });
    assert.deepEqual(declared, addresses, url);
  }
  const securitySchemes = {
    a: {
      type: 'oauth2',
      flows: {
        password: { tokenUrl: 'https://token.example.com/t', authorizationUrl: 'https://b.test' },
      },
    },
    b: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example.com/.well-known/x' },
  };
  assert.deepEqual(declaredAddresses({ components: { securitySchemes } }), [
    ...['https://token.example.com/t', 'https://id.example.com/'],
  ]);
  const servers = Array.from({ length: 300 }, (_, at) => ({ url: `https://a.example.com/${at}` }));
  assert.equal(declaredAddresses({ servers }).length, 200);
});
