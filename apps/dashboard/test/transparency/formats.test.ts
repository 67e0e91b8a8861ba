import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { BadCertificateError, namesOf } from '../../server/src/transparency/certificate-names.ts';
import { readFound } from '../../server/src/transparency/found-certificate.ts';
import {
  BadEntryError,
  readDataTile,
  readMerkleTreeLeaf,
} from '../../server/src/transparency/log-entry.ts';
import { tilePath } from '../../server/src/transparency/static-log.ts';
import {
  BadTreeHeadError,
  readCheckpoint,
  readSignedTreeHead,
} from '../../server/src/transparency/tree-head.ts';
import { WatchedNames } from '../../server/src/transparency/watched-names.ts';
import { foreignCertificate } from './support/certificates.ts';

// Against what public logs and other implementations have written.

const keyOf = (base64: string) => {
  const der = Buffer.from(base64, 'base64');
  const id = createHash('sha256').update(der).digest('hex');
  return { id, key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
};

/** A signed tree head of a log of RFC 6962, with the key of the log. */
const STH = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESYlKFDLLFmA9JScaiaNnqlU8oWDytxIYMfswHy9Esg0aiX+WnP/yj4O0ViEHtLwbmOQeSWBGkIu9YK9CLeer+g==',
  text: JSON.stringify({
    tree_size: 90785920,
    timestamp: 1588741228371,
    sha256_root_hash: 'l+XrWXWRyp4SmATORgTfz4CcYS/VlE7CeTuWI0FAk3o=',
    tree_head_signature:
      'BAMASDBGAiEAnaHGuwnyyHWvrfgEn3qtl1j2heMzocku6ZAItYD75m8CIQCpotlpH5GEPEfMMzky72BCuIl14FB65t5SWZ91vgTQOg==',
  }),
};

/** A checkpoint of a static log, with the key of the log. */
const CHECKPOINT = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPIcer7RB32jt4bTEbhgUKLKvOctFD+I2hoDItFxUBlJiGFvftBuRk3fO7e1T7gC2ekyfL7XoO2oN/ObcZyc4EA==',
  text: `rome2026h1.example.org
300
lCkHUpkmVBEms2r2T1K6Og69+wUuuN3MIEW1/ezu2v0=

— rome2026h1.example.org kVB1JgAAAZtxtEwABAMARzBFAiEAi+mTa2xjL1IdWpH82OeciGsGvwRAP+f1WkfKaSZCfFECIHoNPZ/Q3y6UNzvKOO9cuLr6V16vPNfhwhle9f6r5H/Z
`,
};

test('the head of a log counts where the log signed it, and not after any change', () => {
  const sth = readSignedTreeHead(STH.text, keyOf(STH.key));
  assert.equal(sth.size, 90785920);
  const log = { ...keyOf(CHECKPOINT.key), origin: 'rome2026h1.example.org' };
  const head = readCheckpoint(CHECKPOINT.text, log);
  assert.equal(head.size, 300);
  assert.equal(head.timestamp, Date.UTC(2025, 11, 31));
  assert.equal(head.root.toString('base64'), 'lCkHUpkmVBEms2r2T1K6Og69+wUuuN3MIEW1/ezu2v0=');

  const sths = [
    STH.text.replace('90785920', '90785921'),
    STH.text.replace('1588741228371', '1588741228370'),
    STH.text.replace('l+Xr', 'l+Xs'),
    STH.text.replace('"BAMA', '"BAEA'),
    STH.text.replace('90785920', '-1'),
    '{}',
    '[]',
    'null',
    'not JSON',
  ];
  for (const text of sths)
    assert.throws(() => readSignedTreeHead(text, keyOf(STH.key)), BadTreeHeadError, text);
  assert.throws(() => readSignedTreeHead(STH.text, keyOf(CHECKPOINT.key)), BadTreeHeadError);
  const { text } = CHECKPOINT;
  const checkpoints = [
    text.replace('300', '301'),
    text.replace('300', '0300'),
    text.replace('lCkH', 'lCkI'),
    text.replace('\n\n', '\nmore\n\n'),
    text.replace('— rome', '— home'),
    text.replaceAll('rome', 'home'),
    text.replace('kVB1', 'kVB2'),
    text.replace('AZtx', 'AZty'),
    text.slice(0, -10),
    text.slice(0, text.indexOf('—')),
    '',
  ];
  for (const wrong of checkpoints)
    assert.throws(() => readCheckpoint(wrong, log), BadTreeHeadError, wrong);
  // A witness signs as well, and its signature need not be known.
  const witnessed = text.replace('\n\n', '\n\n— witness.example/w1 AAAAAAAA\n');
  assert.equal(readCheckpoint(witnessed, log).size, 300);
});

// Ten entries of Let's Encrypt's log of tests Navigli 2025h2, and their hashes in its tree.
const fixture = (name: string) =>
  readFileSync(new URL(`fixtures/navigli2025h2/${name}`, import.meta.url));
const TILE = fixture('data-003.p-10');
const HASHES = fixture('0-003.p-10');

test('a data tile of a public log is read to the last byte, and has the hashes of its tree', async () => {
  const entries = readDataTile(TILE, 768);
  assert.deepEqual(
    entries.map(({ hash }) => hash.toString('hex')),
    Array.from({ length: 10 }, (_, at) => HASHES.toString('hex', at * 32, at * 32 + 32)),
  );
  assert.deepEqual(
    entries.map(({ index, kind }) => `${index} ${kind}`),
    Array.from({ length: 10 }, (_, at) => `${768 + at} tbs`),
  );
  assert.deepEqual(entries.slice(5, 7).flatMap(namesOf), [
    'd675ohwookideehaijae.fa69aiceizahlofohpho.ing-ingdirect.frogg-services.webredirect.org',
    '*.streetclub.freeddns.org',
    'streetclub.freeddns.org',
  ]);
  const [first] = entries;
  assert.ok(first);
  const found = await readFound(first);
  assert.equal(found.issuer, "(STAGING) Let's Encrypt (STAGING) Pseudo Plum E5");
  assert.equal(found.serial, '2c4d2394c5fc1f9719b186c04859536e9c18');
  assert.equal(new Date(found.notAfter).toISOString(), '2025-08-01T16:18:40.000Z');
  for (let end = 1; end < TILE.length; end += 97) {
    const cut = () => readDataTile(TILE.subarray(0, end), 768);
    try {
      assert.ok(cut().length < 10);
    } catch (error) {
      assert.ok(error instanceof BadEntryError);
    }
  }
  for (const bytes of ['', '00', '0100', '000100', `0000${'00'.repeat(8)}0002`])
    assert.throws(() => readMerkleTreeLeaf(Buffer.from(bytes, 'hex'), 0), BadEntryError);
  assert.equal(tilePath(1234067, 256), 'x001/x234/067');
  assert.equal(tilePath(0, 112), '000.p/112');
});

test('what is read of a certificate is what OpenSSL reads, and of its precertificate the same', async () => {
  const names = ['docs.example.com', '*.Example.com', 'xn--bcher-kva.example'];
  for (const year of [2026, 2049, 2050]) {
    const { certificate, precertificate } = await foreignCertificate(names, {
      notBefore: Date.UTC(year, 11, 30),
    });
    assert.ok(precertificate.kind === 'precert');
    const found = await readFound({ kind: 'certificate', der: certificate.der });
    const known = new X509Certificate(certificate.der);
    const key = known.publicKey.export({ type: 'spki', format: 'der' });
    assert.deepEqual(found, {
      fingerprint: found.fingerprint,
      issuer: 'Honest Authority H1',
      serial: known.serialNumber.toLowerCase(),
      keyHash: createHash('sha256').update(key).digest('hex'),
      names,
      notBefore: known.validFromDate.getTime(),
      notAfter: known.validToDate.getTime(),
    });
    assert.deepEqual(await readFound({ kind: 'tbs', der: precertificate.tbs }), found);
  }
});

test('whatever bytes are a certificate, its names are read or an error says that they are none', async () => {
  const { certificate } = await foreignCertificate(['docs.example.com']);
  const position = fc.nat(certificate.der.length - 1);
  const change = fc.record({ at: position, to: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), position, (changes, end) => {
      const der = Buffer.from(certificate.der.subarray(0, end + 1));
      for (const { at, to } of changes) if (at < der.length) der[at] = to;
      try {
        assert.ok(Array.isArray(namesOf({ kind: 'certificate', der })));
      } catch (error) {
        assert.ok(error instanceof BadCertificateError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a watched name is found by itself, by a wildcard that covers it, and below a wildcard of its own', () => {
  const watched = new WatchedNames([
    'docs.example.com',
    'api.example.com',
    'example.org',
    '*.docs.example.net',
  ]);
  const found = (...names: string[]) =>
    watched
      .matches(names)
      .map(({ hostname, isByWildcard }) => `${isByWildcard ? '*' : ''} ${hostname}`);
  assert.deepEqual(found('DOCS.example.com'), [' docs.example.com']);
  assert.deepEqual(found('*.example.com'), ['* docs.example.com', '* api.example.com']);
  assert.deepEqual(found('*.example.com', 'docs.example.com'), [
    ' docs.example.com',
    '* api.example.com',
  ]);
  assert.deepEqual(found('v2.docs.example.net'), [' *.docs.example.net']);
  assert.deepEqual(found('*.docs.example.net'), [' *.docs.example.net']);
  for (const other of [
    ...['example.com', 'x.docs.example.com', '*.docs.example.com', 'docs.example.com.evil.test'],
    ...['*.org', 'www.example.org', '*.com', 'a.b.docs.example.net', 'docs.example.net', '', '*'],
  ])
    assert.deepEqual(found(other), other === '*.org' ? ['* example.org'] : [], other);
});
