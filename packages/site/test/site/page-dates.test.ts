import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { pageDates } from '../../src/site/page-dates.ts';
import { datesOfSitemap, sitemapFiles } from '../../src/site/sitemap.ts';

coverNothing();

const [OLD, BEFORE, NOW] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'];

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Dates of pages with these texts, after a site whose sitemap has a date for `/it's (a)`. */
function datesAfter(texts: Record<string, string>) {
  const [sitemap] = sitemapFiles(["/it's (a)", '/undated'], (path) =>
    path === '/undated' ? undefined : OLD,
  );
  const markdown = { "/it's (a).md": sha256('same'), '/undated.md': sha256('same') };
  const before = { at: BEFORE, sitemaps: [String(sitemap?.content)], markdown };
  const { file, lastModified } = pageDates({ now: NOW, before });
  for (const [path, content] of Object.entries(texts))
    file({ path, type: 'text/markdown', content });
  return lastModified;
}

test('a page that says the same keeps its date, and another one gets the deploy’s', () => {
  const texts = { "/it's (a).md": 'same', '/undated.md': 'same', '/new.md': 'same' };
  const lastModified = datesAfter(texts);
  assert.equal(lastModified("/it's (a)"), OLD);
  assert.equal(lastModified('/undated'), BEFORE, 'it is as old as the deploy at least');
  assert.equal(lastModified('/new'), NOW);
  assert.equal(datesAfter({ "/it's (a).md": 'other' })("/it's (a)"), NOW);
  assert.equal(pageDates({ now: NOW, before: undefined }).lastModified('/'), NOW);
});

test('the dates of all parts of a sitemap are read', () => {
  const limits = { addresses: 2, bytes: 50_000 };
  const paths = ['/a', '/b', '/c', '/d'];
  const files = sitemapFiles(paths, (path) => (path === '/b' ? undefined : OLD), limits);
  assert.equal(files.length, 3);
  assert.deepEqual(
    files.flatMap(({ content }) => datesOfSitemap(String(content))),
    [
      ['/a', OLD],
      ['/c', OLD],
      ['/d', OLD],
    ],
  );
});
