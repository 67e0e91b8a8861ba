import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuiltSite } from '@petstore/site/site/site-files.ts';
import { ArtifactMaker } from '../../../server/src/deploys/build/artifact/artifact-maker.ts';
import { filePacker } from '../../../server/src/deploys/build/artifact/pack-files.ts';

const site = {
  title: 'Docs',
  files: [{ path: '/', type: 'text/html; charset=utf-8', content: 'start' }],
  contentSecurityPolicy: "default-src 'none'",
};

const make = (changes: Partial<Omit<BuiltSite, 'files'>> = {}) =>
  new ArtifactMaker(filePacker(() => {})).finish({ ...site, ...changes }, () => {});

test('the same pages with other redirects or another policy are another artifact', async () => {
  const redirects = { '/b': '/', '/a': 'https://docs.example.com/' };
  const [plain, none, redirected, otherOrder, policy] = await Promise.all([
    make(),
    make({ redirects: {} }),
    make({ redirects }),
    make({ redirects: Object.fromEntries(Object.entries(redirects).reverse()) }),
    make({ contentSecurityPolicy: "default-src 'self'" }),
  ]);
  assert.equal(none.hash, plain.hash);
  assert.ok(!('redirects' in none.manifest));
  assert.deepEqual(redirected.manifest.redirects, redirects);
  assert.equal(otherOrder.hash, redirected.hash);
  const redirectPrefixes = { '/a/': { to: '/b/', keepsRest: true as const } };
  const [below, status] = await Promise.all([
    make({ redirectPrefixes }),
    make({ redirects: { ...redirects, '/b': { to: '/', status: 302 } } }),
  ]);
  assert.deepEqual(below.manifest.redirectPrefixes, redirectPrefixes);
  const hashes = [plain, redirected, policy, below, status].map(({ hash }) => hash);
  assert.equal(new Set(hashes).size, 5);
});

test('a redirect that would lead from a path to another host never gets into an artifact', async () => {
  for (const to of ['', 'x', '//x.example', '/\\x.example', 'http://x.example', '/ü', '/a\r\nb']) {
    await assert.rejects(make({ redirects: { '/a': to } }), /The redirect from \/a/, to);
    const target = { to, status: 302 } as const;
    await assert.rejects(make({ redirects: { '/a': target } }), /The redirect from \/a/, to);
  }
  for (const to of ['/b', 'https://x.example', 'https://x.example?/', '/b#/', '//x.example/']) {
    const redirectPrefixes = { '/a/': { to, keepsRest: true } } as const;
    await assert.rejects(make({ redirectPrefixes }), /The redirect from \/a\//, to);
  }
});
