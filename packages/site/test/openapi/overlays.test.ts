import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type BuildLine, boundedLog, type Finding } from '../../src/build-log.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { findNodes } from '../../src/openapi/overlays/find-nodes.ts';
import { toJson } from '../../src/syntax/exact-text.ts';

const SETS = new URL('overlays/', import.meta.url);

interface Applied {
  /** As JSON; undefined where there are problems. */
  readonly document: string | undefined;
  /** `file:line message` */
  readonly problems: readonly string[];
  readonly findings: readonly Finding[];
}

/** A document with overlays, as it is read for a site. */
async function applied(document: string, ...overlays: readonly string[]): Promise<Applied> {
  const lines: BuildLine[] = [];
  const { log } = boundedLog((line) => lines.push(line));
  const files = overlays.map((text, at) => ({ name: `${at + 1}.yaml`, bytes: Buffer.from(text) }));
  const bytes = Buffer.from(document);
  const checked = await readCheckedDocument(bytes, 'openapi.yaml', log, { overlays: files });
  const findings = lines.filter((line) => 'rule' in line);
  if ('problems' in checked) {
    const problems = checked.problems.map((one) => `${one.path}:${one.line} ${one.message}`);
    return { document: undefined, problems, findings };
  }
  return { document: toJson(checked.document, 0).trim(), problems: [], findings };
}

const head = (version = '1.1.0') => `overlay: ${version}\ninfo: {title: Changes, version: '1'}\n`;

const DOCUMENT = `openapi: 3.1.0
info: {title: Pets, version: '1'}
tags: [{name: a}]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      parameters:
        - {name: page, in: query, schema: {type: integer, maximum: 9007199254740993}}
      responses: {'200': {description: OK}}
    delete:
      operationId: deletePets
      summary: Delete pets
      responses: {'204': {description: Gone}}
`;

for (const name of await readdir(SETS)) {
  if (name.endsWith('.md')) continue;
  test(`the specification's set ${name} becomes what it has as its output`, async () => {
    const [document, overlay, output] = await Promise.all(
      ['openapi', 'overlay', 'output'].map((file) =>
        readFile(new URL(`${name}/${file}.yaml`, SETS), 'utf8'),
      ),
    );
    const { document: made, problems } = await applied(document ?? '', overlay ?? '');
    assert.deepEqual(problems, []);
    const { document: expected } = await applied(output ?? '');
    assert.deepEqual(JSON.parse(made ?? ''), JSON.parse(expected ?? ''));
  });
}

test('overlays are applied in their order: objects merge, lists grow, values are replaced, every digit stays', async () => {
  const { document, findings } = await applied(
    DOCUMENT,
    `${head('1.0.0')}actions:
  - target: $.paths.*.get
    update:
      summary: All pets
      parameters: [{name: size, in: query, schema: {type: integer, maximum: 9223372036854775807}}]
  - {target: "$.paths.*.*.parameters[?@.name == 'page']", remove: true}
  - {target: $.paths.*.delete, remove: true}
`,
    `${head()}actions:
  - {target: $.tags, update: {name: b}}
  - {target: $.tags, update: [{name: c}, {name: d}]}
  - {target: $.info.version, update: '2'}
  - {target: "$.paths['/pets']", update: {head: {operationId: headPets}}}
  - {target: "$.paths['/pets'].head", copy: "$.paths['/pets'].get.responses['200']"}
`,
    `${head('1.2.0')}$self: https://api.example.com/overlay.yaml
actions:
  - {$ref: '#/components/actions/owner', target: $.info}
components:
  actions:
    owner: {fields: {update: {contact: {name: Owner}}}}
`,
  );
  assert.deepEqual(
    findings.filter(({ rule }) => rule.startsWith('overlay')),
    [],
  );
  assert.equal(
    document,
    '{"openapi":"3.1.0","info":{"title":"Pets","version":"2","contact":{"name":"Owner"}},' +
      '"tags":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}],' +
      '"paths":{"/pets":{"get":{"operationId":"listPets","summary":"All pets","parameters":[' +
      '{"name":"size","in":"query","schema":{"type":"integer","maximum":9223372036854775807}}],' +
      '"responses":{"200":{"description":"OK"}}},"head":{"operationId":"headPets","description":"OK"}}}}',
  );
});

test('what an overlay brought is told with its own file and line, and what moved with its old line', async () => {
  const overlay = `${head()}actions:
  - {target: '$.paths[''/pets''].get.parameters[0]', remove: true}
  - target: $.paths['/pets'].get
    update:
      parameters:
        - {name: size, in: nowhere, schema: {type: integer}}
      operationId: deletePets
`;
  const document = DOCUMENT.replace(
    "      responses: {'200'",
    "        - {name: other, in: there, schema: {type: integer}}\n      responses: {'200'",
  );
  const { findings } = await applied(document, overlay);
  assert.deepEqual(
    findings.map(({ rule, file, line, path }) => `${rule} ${file}:${line} ${path}`),
    [
      'structure openapi.yaml:11 /paths/~1pets/get/parameters/1/in',
      'structure 1.yaml:8 /actions/1/update/parameters/0/in',
      'operation-id openapi.yaml:14 /paths/~1pets/delete/operationId',
    ],
  );
});

test('an action that selects nothing, and an overlay of another file, are told with their lines', async () => {
  const overlay = `${head()}extends: ./other.yaml
actions:
  - {target: $.paths.*.put, update: {summary: Put}}
`;
  const { findings, document } = await applied(DOCUMENT, overlay);
  assert.ok(document);
  assert.deepEqual(
    findings.map(({ rule, message, file, line }) => `${rule} ${file}:${line} ${message}`),
    [
      'overlay-extends 1.yaml:3 The overlay says that it is for `./other.yaml`; it is applied to `openapi.yaml`.',
      'overlay 1.yaml:5 `$.paths.*.put` selects nothing, so the action changes nothing.',
    ],
  );
});

/** What is wrong with an overlay, and the problem. */
const WRONG: readonly (readonly [overlay: string, problem: string])[] = [
  [
    '- a',
    '1.yaml:1 An overlay must be an object with `overlay`, `info` and `actions`; it is a list.',
  ],
  [
    'overlai: 1.0.0',
    "1.yaml:1 `1.yaml` is no overlay: it doesn't begin with `overlay: 1.0.0`, for one. It has `overlai`: did you mean `overlay`?",
  ],
  [
    'overlay: 2.0.0\nactions: [{target: $, remove: true}]',
    '1.yaml:1 `overlay` is 2.0.0. Overlays of 1.0, 1.1 and 1.2 are applied.',
  ],
  [head(), '1.yaml:1 `actions` is missing: each has a `target`, and `update` or `remove`.'],
  [
    `${head()}actions: []`,
    '1.yaml:3 `actions` must be a list with at least one action: each has a `target`, and `update` or `remove`.',
  ],
  [
    `${head()}actions:\n  - {update: {}}`,
    '1.yaml:4 An action must have a `target`: a JSONPath such as `$.paths.*.get`.',
  ],
  [
    `${head()}actions:\n  - {target: $, updat: {}}`,
    '1.yaml:4 An action takes no key `updat`. Did you mean `update`?',
  ],
  [
    `${head()}actions:\n  - {target: $.paths}`,
    '1.yaml:4 The action changes nothing: it needs `update`, `copy` or `remove: true`.',
  ],
  [
    `${head()}actions:\n  - {target: $.info.title, update: {a: 1}}`,
    '1.yaml:4 `$.info.title` is a single value, and the update is an object.',
  ],
  [
    `${head()}actions:\n  - {target: $.info, update: new}`,
    '1.yaml:4 `$.info` is an object, and the update is text.',
  ],
  [
    `${head()}actions:\n  - {target: $, update: {info: {title: [1]}}}`,
    '1.yaml:4 `title` is a single value in the document, and a list in the update. Remove it in an action before.',
  ],
  [
    `${head()}actions:\n  - {target: '$.*', update: {}}`,
    '1.yaml:4 `$.*` selects values of several kinds (a single value, an object, a list): one action changes objects, lists or single values.',
  ],
  [
    `${head()}actions:\n  - {target: $, remove: true}`,
    '1.yaml:4 The whole document cannot be removed.',
  ],
  [
    `${head('1.0.0')}actions:\n  - {target: $.info, copy: $.tags}`,
    '1.yaml:4 `copy` came with Overlay 1.1: begin with `overlay: 1.1.0`.',
  ],
  [
    `${head()}actions:\n  - {target: $.info, copy: $.paths.*.*}`,
    '1.yaml:4 `copy` must select one value; `$.paths.*.*` selects 2.',
  ],
  [
    `${head('1.2.0')}actions:\n  - {target: $.info, $ref: '#/components/actions/ownr'}\ncomponents: {actions: {owner: {fields: {update: {}}}}}`,
    '1.yaml:4 There is no `#/components/actions/ownr` in this overlay. Did you mean `#/components/actions/owner`?',
  ],
];

for (const [overlay, problem] of WRONG) {
  test(`an overlay is refused with its line: ${problem.slice(0, 70)}`, async () => {
    const { problems } = await applied(DOCUMENT, overlay);
    assert.ok(problems.includes(problem), problems.join('\n'));
  });
}

test('a target that is no JSONPath is refused with its line', async () => {
  const overlay = `${head()}actions:\n  - target: $.paths[\n    remove: true\n`;
  const { problems } = await applied(DOCUMENT, overlay);
  assert.match(problems[0] ?? '', /^1\.yaml:4 `\$\.paths\[`: It is no JSONPath: /);
});

test('JSONPaths that would take for ever end with their time', () => {
  const document = { a: `${'a'.repeat(60)}b`, many: Array.from({ length: 3_000 }, () => [0]) };
  for (const path of ["$[?match(@, '(a+)+c')]", '$..[?$..[?$..[?@.b]]]']) {
    const time = { left: 300 };
    const found = findNodes(document, path, time);
    assert.ok('problem' in found && found.problem.includes('take too long'), JSON.stringify(found));
    assert.ok(time.left <= 0 && time.left > -5_000, String(time.left));
  }
});

test('what overlays bring is bounded', async () => {
  const doubled = Array.from({ length: 30 }, () => '  - {target: $.x-a, copy: $.x-a}').join('\n');
  const { problems } = await applied(`${DOCUMENT}x-a: [1, 2, 3]`, `${head()}actions:\n${doubled}`);
  assert.match(
    problems[0] ?? '',
    /^1\.yaml:\d+ With this action there are more than \d+ values\. /,
  );
});
