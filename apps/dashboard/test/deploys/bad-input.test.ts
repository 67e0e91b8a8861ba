import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLine } from '../../server/src/deploys/deploy.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { built, textOf } from '../support/build-site.ts';
import { createProject, deploy } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

// Documents that no author means to write, through a real deploy: each is published, and what a page leaves out has a
// mark there and a warning in the log that names the place.

const GOOD = { 200: { description: 'Good' } };

const INFO = { openapi: '3.1.0', info: { title: 'T', version: '1' } };

const get = (more: object) => ({ get: { responses: GOOD, ...more } });

const post = (schema: object, more: object = {}) => ({
  post: { requestBody: { content: { 'application/json': { schema, ...more } } }, responses: GOOD },
});

/** A schema so many levels deep. */
function nested(levels: number, wrap: (inner: object) => object): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

const MEGABYTE = 1_000_000;

const NODE = { $ref: '#/components/schemas/Node' };

interface Bad {
  readonly path: string;
  readonly item: object;
  /** What the log says of it; the place is a JSON pointer. */
  readonly warnings: readonly RegExp[];
  /** The marks of its page. */
  readonly marks: readonly RegExp[];
}

const CUT = /… The rest is in the <a href="\/openapi\.json">/;

const TOO_LARGE: readonly Bad[] = [
  {
    path: '/self',
    item: post(NODE),
    warnings: [],
    marks: [/As above: it contains itself/],
  },
  {
    path: '/enum',
    item: post({ enum: Array.from({ length: 10_000 }, (_, at) => `value-${at}`) }),
    warnings: [/^\/paths\/~1enum\/post: The page shows 500 of 10000 allowed values/],
    marks: [/… and 9500 more values/],
  },
  {
    path: '/example',
    item: post({}, { example: { rows: Array.from({ length: 250_000 }, (_, at) => `row ${at}`) } }),
    warnings: [
      /^\/paths\/~1example\/post\/requestBody\/content\/application~1json: The example is longer than 20,000 characters: it was cut/,
    ],
    marks: [],
  },
  {
    path: '/response-example',
    item: get({
      responses: {
        200: {
          description: 'Good',
          content: { 'text/plain': { example: 'x'.repeat(5 * MEGABYTE) } },
        },
      },
    }),
    warnings: [
      /^\/paths\/~1response-example\/get\/responses\/200\/content\/text~1plain: The example is longer than 20,000 characters/,
    ],
    marks: [/x\n…<\/code>/],
  },
  {
    path: '/parameter',
    item: get({
      parameters: [
        { name: 'p', in: 'query', example: 'y'.repeat(MEGABYTE), schema: { type: 'string' } },
        {
          name: 'q',
          in: 'query',
          schema: { type: 'string', default: 'z'.repeat(MEGABYTE), enum: ['w'.repeat(MEGABYTE)] },
        },
      ],
    }),
    warnings: [
      /^\/paths\/~1parameter\/get: An example is longer than 200 characters/,
      /^\/paths\/~1parameter\/get: A default or a constant is longer than 200 characters/,
      /^\/paths\/~1parameter\/get: An allowed value is longer than 200 characters/,
    ],
    marks: [/Example <code>y{200}…/, /Default <code>z{200}…/, /<code>w{200}…/],
  },
  {
    path: '/objects',
    item: post(nested(300, (inner) => ({ type: 'object', properties: { inner } }))),
    warnings: [/^\/paths\/~1objects\/post: Its schemas are larger or deeper than a page shows/],
    marks: [CUT],
  },
  {
    path: '/parts',
    item: post(nested(300, (inner) => ({ allOf: [inner, { properties: { a: {} } }] }))),
    warnings: [/^\/paths\/~1parts\/post: Its schemas are larger or deeper than a page shows/],
    marks: [CUT],
  },
  {
    path: '/lists',
    item: post(nested(600, (items) => ({ type: 'array', items }))),
    warnings: [/^\/paths\/~1lists\/post: Lists and maps lie more than 5 deep in each other/],
    marks: [/array of array of array of array of array of …/],
  },
  {
    path: '/samples',
    item: get({
      'x-codeSamples': [
        { lang: 'python', source: 'print(1)' },
        { lang: 'ruby', source: 'puts 1\n'.repeat(MEGABYTE / 7) },
      ],
    }),
    warnings: [
      /^\/paths\/~1samples\/get\/x-codeSamples\/1: The code sample is longer than 20,000 characters/,
    ],
    marks: [/\n…<\/code>/],
  },
  {
    path: '/quotes',
    item: get({ description: '>'.repeat(5_000) }),
    warnings: [
      /^\/paths\/~1quotes\/get: The text is shown without formatting: it is nested too deeply/,
    ],
    marks: [/(?:&gt;){5000}/],
  },
  {
    path: '/brackets',
    item: get({ description: '['.repeat(50_000) }),
    warnings: [
      /^\/paths\/~1brackets\/get: The text is shown without formatting: it has more than 1500 marks/,
    ],
    marks: [/\[{50000}/],
  },
  {
    path: '/table',
    item: get({ description: `|a|\n|-|\n${'|b|\n'.repeat(60_000)}` }),
    warnings: [
      /^\/paths\/~1table\/get: The text is longer than 200,000 characters: it was cut/,
      /^\/paths\/~1table\/get: The text is shown without formatting/,
    ],
    marks: [/<p>…<\/p>/],
  },
  {
    path: '/braces',
    item: get({ description: 'As {{origin}} says.' }),
    warnings: [],
    marks: [/<p>As \{\{origin\}\} says\.<\/p>/],
  },
  {
    path: '/title',
    item: get({ summary: `One line. ${'More of it. '.repeat(200)}` }),
    warnings: [/^\/paths\/~1title\/get\/summary: It is longer than 120 characters/],
    marks: [/<h1>One line\. .{90,115}…<\/h1>/],
  },
  {
    path: '/image',
    item: get({ description: '![logo](https://elsewhere.example/a.png)' }),
    warnings: [/^\/paths\/~1image\/get: `https:\/\/elsewhere\.example\/a\.png` is on another site/],
    marks: [/<a href="https:\/\/elsewhere\.example\/a\.png" rel="noopener noreferrer">logo<\/a>/],
  },
];

test('what is too large, too deep or from elsewhere is cut with a mark, and the log names its place', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const document = {
    ...INFO,
    paths: Object.fromEntries(TOO_LARGE.map(({ path, item }) => [path, item])),
    components: { schemas: { Node: { properties: { next: NODE } } } },
  };
  const { id, state, errors } = await deploy(root, 'pets', JSON.stringify(document));
  assert.equal(state, 'succeeded', JSON.stringify(errors));

  const log = await json<Page<LogLine>>(
    await root.call('GET', `/api/projects/pets/deploys/${id}/log?limit=200`),
  );
  const warnings = log.items.flatMap(({ level, message }) =>
    level === 'warning' ? [message] : [],
  );
  for (const { path, item, warnings: expected, marks } of TOO_LARGE) {
    for (const one of expected) {
      assert.ok(
        warnings.some((warning) => one.test(warning)),
        `${one} is not among\n${warnings.join('\n')}`,
      );
    }
    const address = `${url}/reference/operations/${Object.keys(item)[0]}${path.replace('/', '-')}`;
    const { status, body } = await fetchFromSite(address);
    assert.equal(status, 200, path);
    assert.ok(body.length < 600_000, `the page of ${path} has ${body.length} letters`);
    for (const mark of marks) assert.match(body, mark, path);
  }
  for (const warning of warnings) assert.doesNotMatch(warning, /^:/, 'a warning without a place');
});

const IDS = ['list', 'LIST', 'List', '..', '.', '%2f', '%2e%2e', '../x', 'a/b', '/', '\\', '?a#b'];
const MORE_IDS = [
  '__proto__',
  'constructor',
  'index',
  'a.md',
  'x'.repeat(5_000),
  '🐈',
  '\u202eevil',
];
const TAGS = [
  'Pets',
  'pets',
  '',
  ' ',
  '..',
  '%2f',
  'a/b',
  'a b',
  'models',
  '🐕',
  'y'.repeat(5_000),
];

test('operations and tags of any names have pages of their own, whose addresses stay in the site', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const ids = [...IDS, ...MORE_IDS];
  const document = {
    ...INFO,
    paths: Object.fromEntries(
      ids.map((operationId, at) => [
        `/p${at}`,
        get({ operationId, tags: [TAGS[at % TAGS.length]] }),
      ]),
    ),
  };
  const { state, errors } = await deploy(root, 'pets', JSON.stringify(document));
  assert.equal(state, 'succeeded', JSON.stringify(errors));

  const { body: map } = await fetchFromSite(`${url}/sitemap.xml`);
  const addresses = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address);
  assert.equal(new Set(addresses.map((one) => one.toLowerCase())).size, addresses.length);
  assert.equal(addresses.length, 1 + TAGS.length + ids.length);
  const seen = new Set<string>();
  for (const address of addresses) {
    assert.equal(new URL(address).href, address, 'a browser asks for just this');
    const { status, body } = await fetchFromSite(address);
    assert.equal(status, 200, address);
    const [, path] = /<p class="ref-address">.*?<wbr>(\/p\d+)<\/code>/.exec(body) ?? [];
    if (path !== undefined) seen.add(path);
    assert.match(body, /<h1>[^<]+<\/h1>/, address);
    assert.doesNotMatch(body, /\u202e/, 'nothing turns the page around');
  }
  assert.equal(seen.size, ids.length);
});

test('a text that is cut never ends within a character', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  // An odd number of letters before characters of two each: some cut falls within one.
  const long = ['', 'a'].map((start) => start + '😀'.repeat(20_000));
  const document = {
    ...INFO,
    info: { ...INFO.info, title: long[1], description: long[0] },
    tags: long.map((description, at) => ({ name: `${at}${description}`, description })),
    paths: Object.fromEntries(
      long.map((text, at) => [
        `/${at}`,
        {
          post: {
            summary: text,
            description: text,
            operationId: `${at}${text}`,
            tags: [`${at}${text}`],
            parameters: [
              {
                name: text,
                in: 'query',
                description: text,
                schema: { type: 'string', default: text, enum: [text], format: text },
              },
            ],
            requestBody: { description: text, content: { 'text/plain': { example: text } } },
            responses: { 200: { description: text } },
            'x-badges': [{ name: text }],
            'x-codeSamples': [{ lang: text, label: text, source: text }],
          },
        },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        long.map((text, at) => [
          `Model${at}`,
          {
            title: text,
            description: `${text} ![logo](${text})`,
            enum: [text],
            'x-enumDescriptions': { [text]: text },
          },
        ]),
      ),
    },
  };
  const { id, state, errors } = await deploy(root, 'pets', JSON.stringify(document));
  assert.equal(state, 'succeeded', JSON.stringify(errors));
  const { body: map } = await fetchFromSite(`${url}/sitemap.xml`);
  const pages = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address);
  const others = ['/llms.txt', '/llms-full.txt', '/_site/navigation.json', '/_site/search.json'];
  for (const address of [...pages, ...others.map((path) => url + path)]) {
    const { status, body } = await fetchFromSite(address);
    assert.equal(status, 200, address);
    assert.doesNotMatch(body, /\ufffd|\\ud83d(?!\\ude00)/, address);
  }
  const log = await root.call('GET', `/api/projects/pets/deploys/${id}/log?limit=200`);
  assert.doesNotMatch(await log.text(), /\ufffd|\\ud83d(?!\\ude00)/);
});

test('with hundreds of tags a page lists those around its own, and the way to all', async () => {
  const names = Array.from({ length: 400 }, (_, at) => `Tag ${at}`);
  const site = await built({
    ...INFO,
    tags: names.map((name) => ({ name })),
    paths: Object.fromEntries(names.map((name, at) => [`/p${at}`, get({ tags: [name] })])),
  });
  const tagsIn = (page: string) =>
    [...page.matchAll(/<li class="nav-tag"><a [^>]*>([^<]+)</g)].map(([, name]) => name);
  const page = textOf(site, '/reference/tag-200/get-p200');
  assert.deepEqual(tagsIn(page), names.slice(150, 250));
  assert.match(page, /<a href="\/">All 400 tags<\/a>/);
  assert.ok(page.length < 40_000, `${page.length} letters`);
  assert.deepEqual(tagsIn(textOf(site, '/reference/tag-0')), names.slice(0, 100));
  assert.deepEqual(tagsIn(textOf(site, '/reference/tag-399')), names.slice(300));
  const overview = textOf(site, '/');
  for (const name of names) assert.ok(overview.includes(`<b>${name}</b>`), name);
});
