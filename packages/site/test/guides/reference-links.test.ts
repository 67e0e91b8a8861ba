import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReferenceTargets } from '../../src/guides/links/reference-target.ts';
import { renderPage } from '../../src/guides/render/render-page.ts';

/** A reference with these operations and models. */
function reference(
  address: string,
  operations: readonly string[],
  models: readonly string[] = [],
): ReferenceTargets {
  const root = `/reference/${address}`;
  const pages = (names: readonly string[], folder: string) =>
    new Map(names.map((name) => [name, `${root}/${folder}/${name.replaceAll('/', '-')}`]));
  const found = { operations: pages(operations, 'pets'), models: pages(models, 'models') };
  const paths = new Set([root, ...found.operations.values(), ...found.models.values()]);
  const details = new Map(
    [...found.operations].map(([title, path]) => [
      path,
      { title, method: 'GET', path: `/${title}`, sentence: '' },
    ]),
  );
  return { address, ...found, anchors: new Map(), paths, details };
}

const TARGETS = {
  files: new Set(['page.md']),
  references: [
    reference('payments', ['createCharge', 'list', 'accounts/list'], ['Charge', 'Error']),
    reference('accounts', ['createAccount', 'list'], ['Account', 'Error']),
  ],
  sitePaths: new Set(['/reference', '/reference/payments/openapi.yaml']),
};

async function rendered(markdown: string) {
  const page = await renderPage('page.md', Buffer.from(markdown), TARGETS);
  const hrefs = [...page.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  return { hrefs, problems: page.links.problems.map(({ message }) => message) };
}

const LINKS: readonly (readonly [link: string, href: string])[] = [
  ['operation:createCharge', '/reference/payments/pets/createCharge'],
  ['operation:payments/createCharge', '/reference/payments/pets/createCharge'],
  ['operation:accounts/list', '/reference/accounts/pets/list'],
  ['operation:payments/accounts/list', '/reference/payments/pets/accounts-list'],
  ['model:Charge', '/reference/payments/models/Charge'],
  ['model:accounts/Error', '/reference/accounts/models/Error'],
  ['/reference', '/reference'],
  ['/reference/accounts', '/reference/accounts'],
  ['/reference/payments/openapi.yaml', '/reference/payments/openapi.yaml'],
];

test('links and components lead to operations and models of any document, by its address where they have to', async () => {
  for (const [link, href] of LINKS) {
    assert.deepEqual(await rendered(`[x](${link})`), { hrefs: [href], problems: [] }, link);
  }
  const boxes = '<Operation id="accounts/list" />\n\n<Model id="payments/Error" />';
  assert.deepEqual(await rendered(boxes), {
    hrefs: ['/reference/accounts/pets/list', '/reference/payments/models/Error'],
    problems: [],
  });
});

const BROKEN: readonly (readonly [markdown: string, problem: string])[] = [
  [
    '[x](operation:list)',
    'Several documents have an operation `list`: write which one is meant, `operation:payments/list` or `operation:accounts/list`.',
  ],
  [
    '<Operation id="list" />',
    'Several documents have an operation `list`: write which one is meant, `operation:payments/list` or `operation:accounts/list`.',
  ],
  [
    '<Model id="Error" />',
    'Several documents have a model `Error`: write which one is meant, `model:payments/Error` or `model:accounts/Error`.',
  ],
  [
    '[x](operation:createChargo)',
    'No document has the operation `createChargo`: did you mean `createCharge`?',
  ],
  [
    '[x](operation:payments/createChargo)',
    '`payments` has no operation `createChargo`: did you mean `payments/createCharge`?',
  ],
  [
    '[x](operation:paymnts/createCharge)',
    'No document has the operation `paymnts/createCharge`: did you mean `payments/createCharge`?',
  ],
  [
    '[x](operation:accounts/createCharge)',
    '`accounts` has no operation `createCharge`: did you mean `payments/createCharge`?',
  ],
  ['[x](model:Nothing)', 'No document has the model `Nothing`.'],
];

test('what could be meant twice, or is nowhere, is told with what to write', async () => {
  for (const [markdown, problem] of BROKEN) {
    const [found = ''] = (await rendered(markdown)).problems;
    assert.ok(found.startsWith(problem), `${markdown}: ${found}`);
  }
  const ids = Array.from({ length: 50 }, (_, at) => reference(`api${at}`, ['list']));
  const page = await renderPage('page.md', Buffer.from('[x](operation:list)'), {
    ...{ ...TARGETS, references: ids },
  });
  assert.match(
    page.links.problems[0]?.message ?? '',
    /`operation:api4\/list`, and so on: 50 have one\.$/,
  );
});
