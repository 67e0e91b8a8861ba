import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import { readHsts } from '../../server/src/domains/rehearsal/compare-headers.ts';
import { readHtml, readSitemap } from '../../server/src/domains/rehearsal/read-html.ts';
import { readRobots } from '../../server/src/domains/rehearsal/robots.ts';
import { pageMatcher } from '../../server/src/domains/rehearsal/suggest-redirects.ts';

// What a rehearsal reads of others: it is as browsers and crawlers read it, and never slow.

test('links and titles are those that a browser sees', () => {
  const html = `<!doctype html><title>Ships &amp;
    <b>parcels</title><base href="/docs/"><script>x = '<a href="/script">'</script>
    <style><a href="/style"></style><!-- <a href="/comment"> --><svg><title>Icon</title></svg>
    <a href=" start?a=1&amp;b=2 ">x</a><A HREF=/shout>x</A><area href=map><a name=none>x</a>`;
  assert.deepEqual(readHtml(html), {
    title: 'Ships & <b>parcels',
    links: ['start?a=1&b=2', '/shout', 'map'],
    base: '/docs/',
    isNofollow: false,
  });
  assert.equal(readHtml('<meta name=ROBOTS content="noindex, NoFollow">').isNofollow, true);
});

test('a sitemap lists pages, or further sitemaps', () => {
  const pages = `<?xml version="1.0"?><urlset><url><loc>
    https://a.test/x?y&amp;z </loc></url><url><loc><![CDATA[https://a.test/c]]></loc></url></urlset>`;
  assert.deepEqual(readSitemap(pages), {
    pages: ['https://a.test/x?y&z', 'https://a.test/c'],
    sitemaps: [],
  });
  const index = '<sitemapindex><sitemap><loc>/s.xml.gz</loc></sitemap></sitemapindex>';
  assert.deepEqual(readSitemap(index), { pages: [], sitemaps: ['/s.xml.gz'] });
});

test('robots.txt is read as RFC 9309 says', () => {
  const robots = (text: string) => readRobots(text, 'me');
  const allowed = (text: string, ...paths: string[]) => paths.map(robots(text).isAllowed);
  const named = 'User-agent: *\nDisallow: /\n\nuser-agent: you\nUser-Agent: ME\nDisallow: /p\n';
  assert.deepEqual(allowed(named, '/', '/p/x', '/q'), [true, false, true], 'its own group alone');
  const longest = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /a/b/c\n';
  assert.deepEqual(allowed(longest, '/a', '/a/b', '/a/b/c'), [false, true, true]);
  const marks = 'User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y\nDisallow: /ü # no\nDisallow:\n';
  assert.deepEqual(allowed(marks, '/a.pdf', '/a.pdf?b', '/x/1/y/2', '/%c3%bc', '/'), [
    ...[false, true, false, false, true],
  ]);
  assert.deepEqual(robots('Sitemap: https://a.test/s.xml\n').sitemaps, ['https://a.test/s.xml']);
});

test('what somebody makes to be slow is read in time', () => {
  const star = `User-agent: *\nDisallow: /${'a*'.repeat(150)}$\n`.repeat(1_500);
  const spent = cpuTimeOf(() => {
    readHtml('<b><p><a href=x>'.repeat(60_000));
    readHtml(`<a ${'x '.repeat(500_000)}>`);
    readHtml('<'.repeat(1_000_000));
    readRobots(star, 'me').isAllowed(`/${'a'.repeat(1_000)}b`);
  });
  assert.ok(spent < 3_000, `${spent} ms`);
});

test('a whole crawl is compared with what somebody makes to be slow in time', () => {
  const rules = (pattern: string) =>
    `User-agent: *\n${`Disallow: /${pattern}\n`.repeat(1_900)}`.slice(0, 512_000);
  const paths = Array.from({ length: 500 }, (_, i) => `/${'a'.repeat(990)}${i}`);
  const all = [rules('é'.repeat(120)), rules('a*'.repeat(120)), rules('*'.repeat(260))];
  // Each word is on five hundred of our pages, and the missing pages have all of them.
  const words = Array.from({ length: 400 }, (_, i) => `w${i.toString(36)}`);
  const ours = Array.from({ length: 20_000 }, (_, page) => ({
    path: `/${Array.from({ length: 10 }, (_, i) => words[(page * 10 + i) % 400]).join('/')}/p${page}`,
    title: '',
  }));
  const missing = { path: `/${words.join('/').slice(0, 999)}`, title: words.slice(100).join(' ') };
  const spent = cpuTimeOf(() => {
    for (const text of all) {
      const { isAllowed } = readRobots(text, 'me');
      for (const path of paths) isAllowed(path);
    }
    const match = pageMatcher(ours);
    for (let i = 0; i < 20; i++) match(missing);
  });
  assert.ok(spent < 5_000, `${spent} ms`);
});

test('HSTS is read with its words in any order, and none is none', () => {
  assert.deepEqual(readHsts('includeSubDomains ; MAX-AGE="300"; preload'), {
    ...{ maxAgeSeconds: 300, includesSubdomains: true, isPreload: true },
  });
  for (const none of [undefined, '', 'max-age=0', 'max-age=x', 'includeSubDomains'])
    assert.equal(readHsts(none), undefined, none);
});

test('a page is suggested where it is the same one, and none where nobody could tell', () => {
  const match = pageMatcher([
    { path: '/', title: 'Parcel' },
    { path: '/guides/quick-start', title: 'Quick start' },
    { path: '/guides/webhooks', title: 'Receive webhooks' },
    { path: '/v1/limits', title: 'Limits' },
    { path: '/v2/limits', title: 'Limits' },
    { path: '/b%C3%BCcher', title: 'Bücher' },
  ]);
  const table: [path: string, title: string, wanted: string | undefined][] = [
    ['/Guides/Quick-Start.html', '', '/guides/quick-start'],
    ['/guides/webhooks/index.php', '', '/guides/webhooks'],
    ['/docs/quick-start', '', '/guides/quick-start'],
    ['/a/b/0815.aspx', 'Receive webhooks | Parcel Docs', '/guides/webhooks'],
    ['/docs/b%c3%bccher/', '', '/b%C3%BCcher'],
    // Two are as good.
    ['/limits', 'Limits', undefined],
    ['/pricing', 'What it costs', undefined],
    ['/guides', 'All guides', undefined],
  ];
  for (const [path, title, wanted] of table) assert.equal(match({ path, title }), wanted, path);
});
