import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { canonicalHost } from '../../server/src/edge/host.ts';

const SHAPE = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

test('all spellings of a host have one canonical form', () => {
  const spellings: Record<string, readonly string[]> = {
    'a.test': [
      'a.test',
      'A.TEST',
      'a.test.',
      'a.test:80',
      'A.Test.:8082',
      'a.test:',
      'a.test:65535',
      'a\u3002test',
    ],
    'petstore--abc234.docs.localhost': ['petstore--abc234.docs.localhost:8082'],
    'xn--bcher-kva.example': [
      'bücher.example',
      'BÜCHER.example.',
      'xn--bcher-kva.example',
      'XN--BCHER-KVA.example:1',
    ],
    localhost: ['localhost', 'LOCALHOST:8082'],
  };
  for (const [canonical, forms] of Object.entries(spellings)) {
    for (const form of forms) assert.equal(canonicalHost(form), canonical, form);
  }
});

test('what is not a host name has no canonical form', () => {
  const label = 'a'.repeat(63);
  const refused = [
    ...[
      '',
      '.',
      '..',
      'a..b',
      '.a',
      'a.test..',
      ':80',
      '-a.test',
      'a-.test',
      'a_b.test',
      '_a.test',
    ],
    ...[
      'a%2eb.com',
      'a.test%00',
      'a b.test',
      ' a.test',
      'a.test ',
      'a\t.test',
      'a\n.test',
      'a\0.test',
    ],
    ...[
      '127.0.0.1',
      '127.0.0.1:80',
      '127.1',
      '1',
      '0x7f.1',
      '0x7f000001',
      'a.0x',
      '2130706433',
      '１２７.0.0.1',
    ],
    ...[
      '[::1]',
      '[::1]:80',
      '::1',
      '*.test',
      'a.test/b',
      'a.test\\b',
      'a.test?b',
      'a.test#b',
      'a,b',
    ],
    ...[
      'a.test:80@b.test',
      'user@a.test',
      'a.test:-1',
      'a.test:65536',
      'a.test:8o',
      'a.test:1:2',
      'a.test: 80',
    ],
    ...['xn--', 'a.xn--.test', '\u00ad', 'a\u2100b.test', '\ud800.test'],
    ...[
      `${label}a.test`,
      `${label}.${label}.${label}.${label}.test`,
      'a.'.repeat(200),
      'a'.repeat(100_000),
    ],
  ];
  for (const raw of refused)
    assert.equal(canonicalHost(raw), undefined, JSON.stringify(raw).slice(0, 80));
  assert.equal(canonicalHost(undefined), undefined);
  assert.equal(canonicalHost(`${label}.${label}.${label}.${'a'.repeat(61)}`)?.length, 253);
  assert.equal(canonicalHost(`${label}.${label}.${label}.${'a'.repeat(62)}`), undefined);
});

test('whatever comes, the canonical form is one or nothing, is its own, and is what URLs make of it', () => {
  const hostish = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.domain(),
    fc.stringMatching(/^[aA0xn.:_%üß。-]{0,20}$/),
    fc.tuple(fc.domain(), fc.nat(70_000)).map(([name, port]) => `${name}:${port}`),
    fc
      .array(fc.constantFrom('a', 'ß', 'xn--', 'bcher-kva', '.', 'ü', '1', '-', '\u200d', '日本'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(hostish, (raw) => {
      const host = canonicalHost(raw);
      if (host === undefined) return;
      assert.match(host, SHAPE);
      assert.ok(host.length <= 253 && host.split('.').every((label) => label.length <= 63));
      assert.equal(canonicalHost(host), host);
      assert.equal(domainToASCII(host), host);
      assert.equal(new URL(`http://${host}/`).hostname, host);
    }),
    { numRuns: 5_000 },
  );
});
