import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToUnicode } from 'node:url';
import { ApiError } from '@petstore/http/errors.ts';
import fc from 'fast-check';
import { isApex as isApexOf } from '../../server/src/domains/claim.ts';
import { hostInZone, readHostname, zoneOf } from '../../server/src/domains/hostname.ts';
import { withoutWildcard } from '../../server/src/domains/wildcard.ts';
import { canonicalHost } from '../../server/src/edge/host.ts';

const OWN = {
  ...{ platformHost: 'sites.example.net', dashboardHost: 'dashboard.example.net' },
  petstoreHost: 'api.example.org',
};
const read = (text: string) => readHostname(text, OWN);

test('a host name has one form, whichever way it is typed', () => {
  const spellings: Record<string, readonly string[]> = {
    'docs.example.com': ['docs.example.com', 'Docs.EXAMPLE.com.', '  docs.example.com\n'],
    'docs.example.test': ['docs.example.test'],
    'xn--bcher-kva.example': ['bücher.example', 'BÜCHER。example', 'XN--bcher-KVA.example.'],
    'xn--fa-hia.de': ['faß.de'],
    'a.xn--55qx5d.cn': ['a.公司.cn'],
    'a--b.co.uk': ['a--b.co.uk'],
    'example.net': ['example.net'],
    'mysites.example.net': ['mysites.example.net'],
    'pets.github.io': ['pets.github.io'],
    '*.docs.example.com': ['*.docs.example.com', ' *.Docs.EXAMPLE.com. '],
    '*.xn--bcher-kva.example': ['*.bücher.example'],
  };
  for (const [hostname, forms] of Object.entries(spellings)) {
    for (const form of forms) assert.equal(read(form), hostname, form);
  }
});

test('a name says how people read it, which domain it belongs to, and whether it is that', () => {
  const table: [typed: string, unicode: string, zone: string, isApex: boolean][] = [
    ['docs.example.com', 'docs.example.com', 'example.com', false],
    ['example.co.uk', 'example.co.uk', 'example.co.uk', true],
    ['a.b.example.co.uk', 'a.b.example.co.uk', 'example.co.uk', false],
    ['xn--bcher-kva.example', 'bücher.example', 'xn--bcher-kva.example', true],
    ['www.ck', 'www.ck', 'www.ck', true],
    // A provider's suffix is its own zone all the same, as far as CNAME records go.
    ['pets.github.io', 'pets.github.io', 'github.io', false],
    ['example.test', 'example.test', 'example.test', true],
    ['*.example.test', '*.example.test', 'example.test', false],
    ['*.bücher.example', '*.bücher.example', 'xn--bcher-kva.example', false],
  ];
  for (const [typed, unicode, zone, isApex] of table) {
    const hostname = read(typed);
    assert.equal(domainToUnicode(hostname), unicode);
    assert.equal(zoneOf(hostname), zone, typed);
    assert.equal(isApexOf({ hostname }), isApex, typed);
  }
});

test('what cannot be a custom host name is refused with the reason', () => {
  const label = 'a'.repeat(63);
  const table: [typed: readonly string[], reason: RegExp][] = [
    [['', ' ', '\n'], /it is empty/],
    [
      ['192.0.2.1', '127.1', '0x7f.1', '1.2.3.4.', '2001:db8::1', '[::1]', '3221225985'],
      /not an IP/,
    ],
    [['localhost', 'docs', 'com', 'docs.'], /single word/],
    [['co.uk', 'foo.ck', '公司.cn', 'x.kawasaki.jp'], /public suffix, like com/],
    [['github.io', 'GitHub.io.', 'vercel.app'], /under which others have their names/],
    [
      ['*', '**.example.com', 'docs.*.example.com', '*.*.example.com', '*docs.example.com'],
      /have a \*/,
    ],
    [['*.com', '*.localhost'], /single word/],
    [['*.co.uk'], /public suffix/],
    [['*.github.io'], /under which others have their names/],
    [['*.sites.example.net', '*.a.sites.example.net'], /the platform's/],
    [['*.example.net'], /has sites\.example\.net, which is this dashboard's/],
    [['*.example.org'], /has api\.example\.org, which is this dashboard's/],
    [['_docs.example.com', 'a_b.example.com'], /underscore/],
    [
      ['-docs.example.com', 'docs-.example.com', 'docs.-.com'],
      /hyphen at the beginning or the end/,
    ],
    [['docs..example.com', '.example.com', 'docs.example.com..', '..'], /two dots in a row/],
    [['a\u200db.example', '\u2024.com', '\u00adü-.xn--a.com'], /no name can have/],
    [
      ['xn--zz.example', 'docs.xn--a.example', 'XN--abcü.com'],
      /not valid punycode|no name can have/,
    ],
    [['xn--abc-.example', 'xn--.com'], /hyphen/],
    [[`${label}a.example.com`], /at most 63 characters between two dots; "a{64}" has 64/],
    [[`${label}.${label}.${label}.${'a'.repeat(34)}.example.com`], /at most 237 .* it has 238/],
    [['docs example.com', 'docs,example.com', 'docs%2eexample.com', 'a@b.com'], /letters, digits/],
    [['sites.example.net', 'pets.sites.example.net', 'SITES.example.net.'], /the platform's/],
    [['dashboard.example.net'], /the dashboard's/],
    [['printer.local', 'db.internal', 'a.b.localhost', 'x.onion', '1.in-addr.arpa'], /public DNS/],
    [
      [
        'https://docs.example.com/',
        'HTTP://Docs.Example.com:8080/a?b#c',
        '//docs.example.com/',
        'docs.example.com/guide',
        'docs.example.com:443',
        'ftp://user@docs.example.com',
      ],
      /be the host name alone, without scheme, port and path: docs\.example\.com$/,
    ],
    [['https://localhost/', 'https://192.0.2.1/', 'http://', 'a:b:c'], /letters, digits/],
  ];
  for (const [typed, reason] of table) {
    for (const text of typed) {
      assert.throws(
        () => read(text),
        (error) =>
          error instanceof ApiError &&
          error.code === 'invalid_request' &&
          error.message.startsWith('hostname must ') &&
          reason.test(error.message),
        text,
      );
    }
  }
});

test('an installation on a laptop takes names of a laptop, and no others of a private network', () => {
  const own = { platformHost: 'docs.localhost', dashboardHost: undefined };
  assert.equal(zoneOf(readHostname('docs.pets.localhost', own)), 'pets.localhost');
  assert.throws(() => readHostname('pets.docs.localhost', own), /the platform's/);
  assert.throws(() => readHostname('pets.local', own), /public DNS/);
});

test('DNS panels get the name without its zone', () => {
  assert.equal(hostInZone('docs.example.com', 'example.com'), 'docs');
  assert.equal(hostInZone('_docs-challenge.a.example.com', 'example.com'), '_docs-challenge.a');
  assert.equal(hostInZone('example.com', 'example.com'), '@');
  assert.equal(hostInZone('notexample.com', 'example.com'), 'notexample.com');
});

test('whatever is typed ends in a name that reads as itself, or in a reason', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.domain(),
    fc.webUrl(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('.', '-', 'xn--', '*', '_', 'ü', 'ß', '。', '%2e', 'com', 'sites.example.net'),
  );
  const typed = fc.oneof(
    piece,
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('.')),
  );
  fc.assert(
    fc.property(typed, (text) => {
      try {
        const name = read(text);
        assert.equal(read(name), name);
        assert.equal(canonicalHost(withoutWildcard(name)), withoutWildcard(name));
        assert.equal(read(domainToUnicode(name)), name);
        assert.ok(name.endsWith(zoneOf(name)) && zoneOf(name).includes('.'));
        assert.ok(!`.${name}`.endsWith('.sites.example.net'));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        assert.match(error.message, /^hostname must .+/);
      }
    }),
    { numRuns: 1_000 },
  );
});
