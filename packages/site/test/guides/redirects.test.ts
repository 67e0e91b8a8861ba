import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocsConfig } from '../../src/guides/docs-config.ts';
import { coveredPages, redirectProblems } from '../../src/guides/redirect-chains.ts';
import { sitePathProblems } from '../../src/guides/site-path-problems.ts';
import { builtRedirects } from '../../src/guides/site-redirects.ts';

const PAGES = ['/', '/guides/start', '/guides/end', '/new/a'];

function configOf(redirects: string) {
  const yaml = `title: D\nredirects:\n${redirects}`;
  const read = readDocsConfig(new Map([['docs.yaml', Buffer.from(yaml)]]), 'docs.yaml');
  assert.deepEqual(read.problems, []);
  return read.config;
}

/** What is wrong with redirects once the site is there, each with its line. */
function wrong(redirects: string): string[] {
  const config = configOf(redirects);
  const paths = new Set(PAGES);
  const found = [...sitePathProblems(config, paths), ...redirectProblems(config, paths)];
  return found.map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

test('prefixes, statuses and other hosts are read, in the words of Mintlify too', () => {
  const own = `  /old/*: /new/*
  /v1/*: https://example.com/v1/*
  /all/*: { to: /guides/start, status: 302 }
  /one: { to: https://example.com, status: 301 }
  /two: /guides/end
`;
  const listed = `  - { source: '/old/:slug*', destination: '/new/:slug*', permanent: true }
  - { source: '/v1/:rest*', destination: 'https://example.com/v1/:rest*' }
  - { source: /all/*, destination: /guides/start, permanent: false }
  - { source: /two, destination: /guides/end }
`;
  const prefixes = {
    '/old/': { to: '/new/', keepsRest: true },
    '/v1/': { to: 'https://example.com/v1/', keepsRest: true },
    '/all/': { to: '/guides/start', status: 302 },
  };
  assert.deepEqual(builtRedirects(configOf(own).redirects), {
    redirects: { '/one': { to: 'https://example.com/', status: 301 }, '/two': '/guides/end' },
    redirectPrefixes: prefixes,
  });
  assert.deepEqual(builtRedirects(configOf(listed).redirects), {
    redirects: { '/two': '/guides/end' },
    redirectPrefixes: prefixes,
  });
  assert.deepEqual(wrong(own), []);
});

const CHAINS: readonly [redirects: string, problem: RegExp | undefined][] = [
  [
    '  /a: /b\n  /b: /guides/end#x\n',
    /^docs\.yaml:3: `\/a` leads to another redirect: write its last target, `\/guides\/end#x`\.$/,
  ],
  ['  /a: /b\n  /b: /c\n  /c: https://example.com/x\n', /:3: .*`https:\/\/example\.com\/x`/],
  ['  /a: /old/a\n  /old/*: /new/*\n', /:3: `\/a` leads .*, `\/new\/a`\.$/],
  [
    '  /a: /old\n  /old/*: https://example.com/*\n',
    /:3: `\/a` leads .*, `https:\/\/example\.com\/`/,
  ],
  ['  /older/*: /old/*\n  /old/*: /new/*\n', /:3: `\/older\/\*` leads .*, `\/new\/\*`\.$/],
  ['  /a/*: /old/b/*\n  /old/*: /guides/end\n', /:3: `\/a\/\*` leads .*, `\/guides\/end`\.$/],
  ['  /a/*: /none/*\n  /none/*: /guides/start\n', /:3: `\/a\/\*` leads .*, `\/guides\/start`\.$/],
  // What is missing below a folder with pages may lead on.
  ['  /a/*: /guides/*\n  /guides/*: /guides/start\n', undefined],
  ['  /a/*: /b\n  /b: /guides/end\n', /:3: `\/a\/\*` leads .*, `\/guides\/end`/],
  [
    '  /old/*: /new/*\n  /new/b: /guides/end\n',
    /:3: `\/old\/\*` leads from `\/old\/b` to `\/new\/b`, which redirects again: add `\/old\/b: \/guides\/end`\.$/,
  ],
  ['  /old/*: /new/*\n  /new/b: /guides/end\n  /old/b: /guides/end\n', undefined],
  [
    '  /new/*: /new/v2/*\n',
    /:3: The redirects form a loop, wherever there is no page: `\/new\/\*` → `\/new\/\*`/,
  ],
  ['  /*: /new/*\n', /:3: .*form a loop/],
  ['  /a/*: /b/*\n  /b/*: /a/*\n', /:3: .*form a loop.*: `\/a\/\*` → `\/b\/\*` → `\/a\/\*`\.$/],
  ['  /a: /a/b\n  /a/*: /a\n', /:3: .*form a loop/],
  // A page comes before a prefix.
  ['  /a: /guides/end\n  /guides/*: /new/a\n', undefined],
  ['  /*: /\n', undefined],
  ['  /old/*: /nothing/*\n', /^docs\.yaml:3: The site has nothing below `\/nothing\/`\.$/],
  ['  /old/*: /nothing\n', /^docs\.yaml:3: The site has no `\/nothing`/],
  ['  /a: /new/c\n', /^docs\.yaml:3: The site has no `\/new\/c`/],
];

test('loops, chains and targets that are not there are told with their lines', () => {
  for (const [redirects, problem] of CHAINS) {
    const found = wrong(redirects);
    if (!problem) assert.deepEqual(found, [], redirects);
    else assert.match(found[0] ?? 'nothing', problem, redirects);
  }
});

test('a prefix above pages is a warning: they stay where they are', () => {
  const found = coveredPages(configOf('  /old/*: /\n  /guides/*: /new/*\n  /new/a/*: /\n'), PAGES);
  assert.deepEqual(
    found.map(({ rule, line, message }) => [rule, line, message]),
    [
      [
        ...['redirect', 4],
        '`/guides/*` has 2 pages of the site below it, such as `/guides/start`: pages are shown, and only what is missing is redirected.',
      ],
      [
        ...['redirect', 5],
        '`/new/a/*` has 1 page of the site below it, such as `/new/a`: pages are shown, and only what is missing is redirected.',
      ],
    ],
  );
});
