import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocsConfig } from '../../src/guides/docs-config.ts';

const FILES = [
  'openapi/payments.yaml',
  'openapi/accounts.yaml',
  'eu.yaml',
  'notes.txt',
  'index.md',
];

function read(yaml: string, files: readonly string[] = FILES) {
  const archive = new Map(files.map((file) => [file, new Uint8Array()]));
  archive.set('docs.yaml', Buffer.from(yaml));
  const { config, problems } = readDocsConfig(archive, 'docs.yaml');
  return { config, problems: problems.map(({ line, message }) => `${line}: ${message}`) };
}

test('references have their files, overlays, addresses, titles and descriptions', () => {
  const { config, problems } = read(`title: Acme
references:
  - openapi: openapi/payments.yaml
    overlays: [eu.yaml]
    title: Payments
    address: pay
    description: Charges, refunds.
  - openapi: ./openapi/accounts.yaml
navigation:
  - { tab: Guides, pages: [index.md] }
  - { tab: Payments, reference: pay }
  - { tab: All, reference: true }
`);
  assert.deepEqual(problems, []);
  assert.deepEqual(config.references, [
    {
      ...{ file: 'openapi/payments.yaml', overlays: ['eu.yaml'], address: 'pay' },
      ...{ title: 'Payments', description: 'Charges, refunds.' },
    },
    {
      ...{ file: 'openapi/accounts.yaml', overlays: [], address: 'accounts' },
      ...{ title: undefined, description: undefined },
    },
  ]);
  const tabs = config.navigation?.map(({ content }) => ('reference' in content ? content : ''));
  assert.deepEqual(tabs, ['', { reference: 'pay' }, { reference: true }]);
});

const ADDRESSES: readonly (readonly [file: string, address: string])[] = [
  ['payments.yaml', 'payments'],
  ['specs/Payments API.v2.json', 'payments-api-v2'],
  ['payments/openapi.yaml', 'payments'],
  ['payments.openapi.yaml', 'payments'],
  ['openapi-payments.json', 'payments'],
  ['OpenAPI-swagger.json', 'swagger'],
  ['payments/swagger.json', 'payments'],
  ['openapi.yaml', 'openapi'],
  ['платежи.yaml', 'платежи'],
  ['決済.yaml', '決済'],
  ['_..yaml', 'api'],
  [`${'a'.repeat(200)}.yaml`, 'a'.repeat(60)],
];

test('an address is made of the name of its file, or of its folder where all files are called alike', () => {
  for (const [file, address] of ADDRESSES) {
    const { config, problems } = read(`title: T\nreferences:\n  - openapi: "${file}"`, [file]);
    assert.deepEqual(problems, [], file);
    assert.equal(config.references[0]?.address, address, file);
  }
});

const start = 'title: T\nreferences:\n';
const WRONG: readonly (readonly [yaml: string, problems: readonly string[]])[] = [
  [`${start}  a: b`, ['3: `references` must be a list.']],
  [
    `title: T\nopenapi: eu.yaml\noverlays: [eu.yaml]\nreferences:\n  - openapi: openapi/payments.yaml`,
    [
      '2: `openapi` names the only document of a site, and this one has `references`: list the document there, and remove `openapi`.',
      '3: `overlays` belong to one document: write them below its `openapi` in `references`.',
    ],
  ],
  [
    `${start}  - openapi/payments.yaml`,
    [
      '3: An entry of `references` must be a mapping with `openapi`, `overlays`, `title`, `address`, `description`.',
    ],
  ],
  [
    `${start}  - title: A`,
    ['3: An entry of `references` needs `openapi`: the file of its document.'],
  ],
  [
    `${start}  - openapi: openapi/payment.yaml`,
    ['3: `openapi/payment.yaml` is not in the archive: did you mean `openapi/payments.yaml`?'],
  ],
  [
    `${start}  - openapi: notes.txt`,
    ['3: `openapi` must be a YAML or JSON file, not `notes.txt`.'],
  ],
  [
    `${start}  - openapi: eu.yaml\n    adress: x`,
    ['4: An entry of `references` takes no key `adress`: did you mean `address`?'],
  ],
  [
    `${start}  - openapi: eu.yaml\n  - openapi: eu.yaml`,
    [
      '4: The address `eu` is taken by the reference on line 3: give this one an `address` of its own.',
    ],
  ],
  [
    `${start}  - openapi: eu.yaml\n  - { openapi: openapi/payments.yaml, address: EU }`,
    [
      '4: The address `EU` is taken by the reference on line 3: give this one an `address` of its own.',
    ],
  ],
  ...['a/b', '..', 'a.md', '', '-a', 'a b', 'x'.repeat(61)].map(
    (address) =>
      [
        `${start}  - openapi: eu.yaml\n    address: "${address}"`,
        [
          "4: A reference's `address` must be one segment of a path, such as `payments`: up to 60 letters, digits, `-` and `_`.",
        ],
      ] as const,
  ),
  [
    `${start}${'  - openapi: eu.yaml\n'.repeat(51)}`,
    [
      '53: `references` has 51 documents; it may have 50.',
      ...Array.from(
        { length: 49 },
        (_, at) =>
          `${at + 4}: The address \`eu\` is taken by the reference on line 3: give this one an \`address\` of its own.`,
      ),
    ],
  ],
  [
    `${start}  - openapi: eu.yaml\nnavigation:\n  - { tab: A, reference: ue }`,
    ['5: There is no reference `ue`: did you mean `eu`?'],
  ],
  [
    `${start}  - openapi: eu.yaml\nnavigation:\n  - { tab: A, reference: false }`,
    [
      '5: `reference` must be `true` for all references, or the address of one; a tab without it is left out.',
    ],
  ],
  [
    `${start}  - openapi: eu.yaml\nnavigation:\n  - { tab: A, reference: eu }\n  - { tab: B, reference: eu }`,
    ['6: Two tabs have `reference: eu`: keep one.'],
  ],
  [
    'title: T\nopenapi: eu.yaml\nnavigation:\n  - { tab: A, reference: eu }',
    ['4: `reference` must be `true`; a tab without it is left out.'],
  ],
];

test('what is wrong with references is told with its line', () => {
  for (const [yaml, problems] of WRONG) assert.deepEqual(read(yaml).problems, problems, yaml);
});

test('a document with the usual name is none of the references unless it is listed', () => {
  const { config, problems } = read(`${start}  - openapi: eu.yaml`, [
    ...['eu.yaml', 'openapi.yaml', 'openapi.json'],
  ]);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    config.references.map(({ file }) => file),
    ['eu.yaml'],
  );
});
