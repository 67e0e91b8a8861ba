import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployFiles } from '../support/guides.ts';
import { json } from '../support/service.ts';
import { page } from './support/old-site.ts';
import { codesOf, HOST, prepareMove, resultOf } from './support/rehearsals.ts';

// The move of a name is played: what is at its old host today, and what will be here.

const GUIDES = {
  'docs.yaml': 'title: Parcel\n',
  'index.md': '# Parcel\n\nShip parcels.',
  'guides/start.md': '# Quick start\n\nBegin here.',
  'guides/webhooks.md': '# Receive webhooks\n\nEvents.',
  'guides/errors.md': '# Errors\n\nWhat may go wrong.',
};

test('a rehearsal names what is missing in its order, and is ready once that is done', async (t) => {
  const { root, old, zone, certify } = await prepareMove(t, GUIDES);
  old.headers = {
    'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
    'x-frame-options': 'DENY',
    'set-cookie': 'session=1',
  };
  old.pages = {
    '/': page(
      'Parcel',
      '/docs/quickstart.html',
      '/guides/errors/',
      '/pricing',
      'https://elsewhere.test/x',
    ),
    '/docs/quickstart.html': page('Quick start | Parcel', '../changelog', '/former'),
    '/guides/errors/': page('Errors'),
    '/pricing': page('What it costs'),
    '/changelog': { status: 302, headers: { location: 'https://changes.example.net/parcel' } },
    '/former': { status: 301, headers: { location: '/hooks' } },
    '/hooks': page('Receive webhooks – Parcel'),
    '/sitemap.xml': {
      headers: { 'content-type': 'application/xml' },
      body: `<urlset><url><loc>https://${HOST}:${old.port}/only-in-sitemap</loc></url></urlset>`,
    },
    '/only-in-sitemap': page('Nobody links here'),
  };
  zone.setRecords(HOST, 'MX', ['10 mail.example.test']);
  zone.setRecords(HOST, 'TXT', ['google-site-verification=1']);
  zone.setRecords(HOST, 'CAA', ['0 issue "letsencrypt.org"']);
  zone.setRecords('example.test', 'CAA', ['0 issue "ca.example.net"']);

  const first = await resultOf(root);
  assert.equal(first.verdict, 'not_ready');
  assert.deepEqual(codesOf(first, 'missing'), [
    'no_certificate',
    'caa_blocks',
    'mail_lost',
    'pages_missing',
  ]);
  assert.deepEqual(codesOf(first, 'advice'), ['records_lost', 'hsts', 'long_ttl', 'headers_lost']);
  const finding = (code: string) => first.findings.find((one) => one.code === code);
  assert.match(finding('no_certificate')?.message ?? '', /HSTS, so that nobody could click/);
  assert.deepEqual(finding('mail_lost')?.details, [`${HOST} MX 10 mail.example.test`]);
  assert.equal(finding('caa_blocks')?.add[0]?.name, 'example.test', 'that of the name itself goes');
  assert.match(finding('records_lost')?.title ?? '', /^TXT and CAA records would be lost/);
  assert.match(finding('hsts')?.message ?? '', /and all its subdomains.*preload/);
  assert.match(finding('long_ttl')?.remedy ?? '', /Set the TTL to 300 now, wait for 60 minutes/);
  assert.deepEqual(finding('headers_lost')?.details, ['x-frame-options: DENY']);
  assert.equal(first.facts?.hsts?.maxAgeSeconds, 31_536_000);
  assert.deepEqual(first.facts?.oldAddresses, [old.address]);
  assert.deepEqual(first.facts?.ourAddresses, ['127.0.0.1']);
  const { comparison } = first;
  assert.ok(comparison);
  assert.equal(comparison.origin, `https://${HOST}:${old.port}`);
  assert.deepEqual(
    comparison.pages.map(({ path, state, to, suggestion }) => [path, state, to ?? suggestion]),
    [
      ['/changelog', 'missing', 'https://changes.example.net/parcel'],
      ['/docs/quickstart.html', 'missing', '/guides/start'],
      ['/former', 'missing', '/guides/webhooks'],
      ['/hooks', 'missing', '/guides/webhooks'],
      ['/only-in-sitemap', 'missing', null],
      ['/pricing', 'missing', null],
      ['/guides/errors/', 'redirected', '/guides/errors'],
      ['/', 'found', null],
    ],
  );

  // What it says to do.
  await certify();
  zone.removeRecords('example.test', 'CAA');
  for (const type of ['MX', 'TXT', 'CAA'] as const) zone.removeRecords(HOST, type);
  zone.setRecords(HOST, 'A', [old.address], 60);
  const added = '  /pricing: /\n  /only-in-sitemap: /\n';
  const deployed = await deployFiles(root, 'pets', {
    ...GUIDES,
    'docs.yaml': `title: Parcel\n${comparison.redirects}${added}`,
  });
  assert.equal(deployed.state, 'succeeded', JSON.stringify(deployed.errors));
  // A private site is rehearsed as its readers will see it.
  await json(await root.call('PATCH', '/api/projects/pets/access', { private: 'everything' }));
  const second = await resultOf(root);
  assert.deepEqual(codesOf(second), ['hsts', 'headers_lost']);
  assert.equal(second.verdict, 'ready');
  assert.match(second.message, /All 8 addresses that were looked at are here, too/);
  assert.match(second.facts?.certificate?.issuer ?? '', /Lab R1/);
  assert.equal(second.comparison?.redirects, '');
});
