import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishText } from './examples/published.ts';

const TAGS = `tags:
  - {name: flights, summary: Flights, kind: nav}
  - {name: europe, summary: Europe, parent: world}
  - {name: world, summary: International, parent: flights, kind: nav}
  - {name: beta, summary: New here, kind: badge}
  - {name: partner, summary: Partners, kind: audience}
  - {name: unused, parent: flights}
`;

const DOCUMENT = `openapi: 3.2.0
info: {title: Flights, version: '1'}
${TAGS}paths:
  /flights:
    get: {operationId: list, summary: List flights, tags: [beta, europe, partner], responses: {'200': {description: OK}}}
  /others:
    get: {operationId: others, summary: Others, tags: [partner], responses: {'200': {description: OK}}}
`;

test('tags lie under each other in the navigation and on pages, and badges mark operations', async () => {
  const { files, findings } = await publishText(Buffer.from(DOCUMENT));
  assert.deepEqual(findings, []);
  const page = files.get('/reference/europe/list') ?? '';
  assert.match(page, /<span class="ref-badge ref-plain">New here<\/span>/);
  assert.match(page, /<span class="ref-badge ref-plain">Audience: Partners<\/span>/);
  // Its way: the introduction, and the tags from the outermost.
  const crumbs = /<nav[^>]*aria-label="Breadcrumb.*?<\/nav>/s.exec(page)?.[0] ?? page;
  assert.match(crumbs, />Flights<.*>International<.*>Europe</s);
  const navigation = /<nav class="docs-nav".*?<\/nav>/s.exec(page)?.[0] ?? '';
  const listed = [...navigation.matchAll(/<li class="nav-tag( nav-under-\d)?"><a href="([^"]*)"/g)];
  assert.deepEqual(
    listed.map(([, level = '', path]) => `${path}${level}`),
    [
      '/reference/flights',
      '/reference/world nav-under-1',
      '/reference/europe nav-under-2',
      // Its only tag marks it, so that is where it is listed.
      '/reference/partner',
    ],
  );
  assert.match(
    files.get('/reference/flights') ?? '',
    /<ul class="ref-list"><li><a href="\/reference\/world">/,
  );
  assert.match(
    files.get('/reference/flights.md') ?? '',
    /\[International\]\(.*\n {2}- \[Europe\]\(/,
  );
  assert.match(
    files.get('/reference/europe/list.md') ?? '',
    /^Marked: New here, Audience: Partners$/m,
  );
  assert.doesNotMatch(files.get('/reference/partner/others') ?? '', /ref-badge/);
});

test('circles of tags and missing parents are told, and their tags stand for themselves', async () => {
  const circle = TAGS.replace('summary: Flights', 'summary: Flights, parent: world').replace(
    'parent: flights}',
    'parent: nowhere}',
  );
  const { files, findings } = await publishText(Buffer.from(DOCUMENT.replace(TAGS, circle)));
  assert.deepEqual(
    findings.map(({ message, line }) => `${line} ${message}`),
    [
      '4 The tag `flights` lies under itself, through `world`. Take one `parent` of the circle away.',
      '6 The tag `world` lies under itself, through `flights`. Take one `parent` of the circle away.',
      "9 The tag `unused` lies under `nowhere`, which `tags` doesn't have. Declare it there.",
    ],
  );
  assert.match(
    files.get('/reference/europe/list') ?? '',
    /<li class="nav-tag nav-under-1"><a href="\/reference\/europe"/,
  );
});

test('very many tags in each other take no long time', async () => {
  const tags = Array.from({ length: 3_000 }, (_, at) => ({ name: `t${at}`, parent: `t${at + 1}` }));
  const operation = {
    operationId: 'a',
    summary: 'A',
    tags: ['t0'],
    responses: { 204: { description: 'OK' } },
  };
  const document = {
    openapi: '3.2.0',
    info: { title: 'A', version: '1' },
    tags,
    paths: { '/a': { get: operation } },
  };
  const { files } = await publishText(Buffer.from(JSON.stringify(document)));
  assert.ok(files.has('/reference/t0/a'));
});
