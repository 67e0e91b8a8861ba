import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BuildLine } from '../../src/build-log.ts';
import { archiveFiles } from '../../src/openapi/bundle/archive-files.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests say what is where.
type Readable = Record<string, any>;

/** Reads `openapi.yaml` of some files, as text by path. Warnings are told as `file:line message`. */
async function read(texts: Record<string, string>, mostBytes = 1_000_000) {
  const files = new Map(
    Object.entries(texts).map(([path, text]) => [path.normalize('NFC'), Buffer.from(text)]),
  );
  const warnings: string[] = [];
  const lines: string[] = [];
  const log = (line: BuildLine) => {
    if (!('rule' in line)) lines.push(line.message);
    else if (line.rule !== 'no-summary' && line.rule !== 'no-operation-id')
      warnings.push(`${line.file}:${line.line} ${line.message}${line.hint ? ` ${line.hint}` : ''}`);
  };
  const bytes = files.get('openapi.yaml') ?? Buffer.alloc(0);
  const result = await readCheckedDocument(bytes, 'openapi.yaml', log, {
    files: archiveFiles(files, mostBytes),
  });
  if ('problems' in result)
    return { document: {} as Readable, warnings, lines, problems: result.problems, operations: [] };
  const { document, operations } = result;
  return { document: document as Readable, warnings, lines, problems: [], operations };
}

const HEAD = 'openapi: 3.0.3\ninfo: {title: Pets, version: "1"}\n';

/** A document whose operation `GET /pets` responds with a schema. */
const withSchema = (schema: string, head = HEAD) =>
  `${head}paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets.
          content:
            application/json:
              schema: ${schema}
`;

const schemaOf = (document: Readable) =>
  document.paths['/pets'].get.responses['200'].content['application/json'].schema;

test('what a document refers to in other files becomes shared components under their names', async () => {
  const { document, warnings, lines } = await read({
    'openapi.yaml': `${HEAD}paths:
  /pets: {$ref: ./paths/pets.yaml}
  /pets/{id}:
    parameters: [{$ref: 'parameters.yaml#/petId'}]
    get: {$ref: "paths/pet get.yaml"}
components:
  schemas:
    Toy: {$ref: models/toy.json}
`,
    'parameters.yaml':
      'petId: {name: id, in: path, required: true, schema: {type: integer, format: int64}}\nlimit: {name: limit, in: query, schema: {type: integer, maximum: 9007199254740993}}\n',
    'paths/pets.yaml': `get:
  parameters: [{$ref: ../parameters.yaml#/limit}]
  responses:
    "200": {$ref: ../responses.yaml#/Pets}
    default: {$ref: ../responses.yaml#/default}
post:
  requestBody: {$ref: ../bodies/new-pet.yaml}
  responses: {"201": {description: Added., headers: {Location: {$ref: ../headers.yaml#/Location}}}}
`,
    'paths/pet get.yaml':
      'responses: {"200": {description: A pet., content: {application/json: {schema: {$ref: ../models/Pet.yaml}}}}}\n',
    'responses.yaml': `Pets:
  description: Pets.
  content:
    application/json:
      schema: {type: array, items: {$ref: "./models/Pet.yaml"}}
      examples: {two: {$ref: "examples.yaml#/default"}}
default: {description: An error.}
`,
    'examples.yaml': 'default: {value: [{$ref: "not a reference"}]}\n',
    'headers.yaml': 'Location: {schema: {type: string}}\n',
    'bodies/new-pet.yaml': 'content: {application/json: {schema: {$ref: "../models/Pet.yaml"}}}\n',
    'models/Pet.yaml':
      'type: object\nproperties:\n  name: {type: string}\n  toys: {type: array, items: {$ref: toy.json}}\n  friend: {$ref: "#"}\n  owner: {$ref: "owner.yaml#/definitions/Owner~1Keeper"}\n',
    'models/owner.yaml':
      'definitions:\n  Owner/Keeper: {type: object, properties: {pet: {$ref: Pet.yaml}}}\n',
    'models/toy.json': '{"type": "object", "properties": {"price": {"type": "number"}}}',
  });
  assert.deepEqual(warnings, []);
  assert.ok(
    lines.some((line) => /^Read 10 files that it refers to: .* in all$/.test(line)),
    `${lines}`,
  );
  assert.equal(
    /\.(?:yaml|json)/.test(Object.values(document.components).map(String).join()),
    false,
  );
  const { components, paths } = document;
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(components).map(([name, of]) => [name, Object.keys(of as object)]),
    ),
    {
      schemas: ['Toy', 'Pet', 'Owner_Keeper'],
      parameters: ['limit', 'petId'],
      responses: ['Pets', 'default'],
      requestBodies: ['new-pet'],
      headers: ['Location'],
      examples: ['default'],
    },
  );
  assert.equal(components.parameters.limit.schema.maximum, 9007199254740993n);
  assert.deepEqual(paths['/pets'].get.responses.default, {
    $ref: '#/components/responses/default',
  });
  assert.deepEqual(paths['/pets/{id}'].get.responses['200'].content['application/json'].schema, {
    $ref: '#/components/schemas/Pet',
  });
  assert.deepEqual(components.schemas.Pet.properties, {
    name: { type: 'string' },
    toys: { type: 'array', items: { $ref: '#/components/schemas/Toy' } },
    friend: { $ref: '#/components/schemas/Pet' },
    owner: { $ref: '#/components/schemas/Owner_Keeper' },
  });
  assert.equal(components.schemas.Toy.type, 'object');
  assert.deepEqual(components.examples.default.value, [{ $ref: 'not a reference' }]);
});

test('different things of the same name get readable names that differ', async () => {
  const pet = (text: string) => `type: object\ndescription: ${text}\n`;
  const { document } = await read({
    'openapi.yaml': `${withSchema('{oneOf: [{$ref: a/models/pet.yaml}, {$ref: b/models/pet.yaml}, {$ref: "#/components/schemas/pet"}, {$ref: "c.yaml#/pet"}, {$ref: "c.yaml#/oneOf/0"}]}')}components: {schemas: {pet: {type: string}}}\n`,
    'a/models/pet.yaml': pet('a'),
    'b/models/pet.yaml': pet('b'),
    'c.yaml': 'pet: {type: boolean}\noneOf: [{type: number}]\n',
  });
  assert.deepEqual(
    Object.entries<Readable>(document.components.schemas).map(([name, { description, type }]) => [
      name,
      description ?? type,
    ]),
    [
      ['pet', 'string'],
      ['a_pet', 'a'],
      ['b_pet', 'b'],
      ['c_pet', 'boolean'],
      ['c', 'number'],
    ],
  );
});

test('one file has one component, however it is written', async () => {
  const names = [
    './mödels/a b.yaml',
    'mödels/a%20b.yaml',
    'm\u006f\u0308dels/a b.yaml',
    'x/../mödels/a b.yaml',
    'm%C3%B6dels\\\\a b.yaml',
  ];
  const { document, warnings } = await read({
    'openapi.yaml': withSchema(
      `{oneOf: [${names.map((name) => `{$ref: "${name}"}`).join(', ')}, {$ref: "Mödels/A b.yaml"}]}`,
    ),
    'mödels/a b.yaml': 'type: string\n',
  });
  assert.deepEqual(Object.keys(document.components.schemas), ['a_b']);
  assert.deepEqual(warnings, [
    'openapi.yaml:11 `Mödels/A b.yaml` is called `mödels/a b.yaml`: elsewhere capital and small letters are not the same. Write it as it is called.',
  ]);
});

test('anchors, $id, pointers through references and discriminators lead into other files', async () => {
  const { document, warnings } = await read({
    'openapi.yaml': withSchema('{$ref: all.yaml#/all}', HEAD.replace('3.0.3', '3.1.0')),
    'all.yaml': `all:
  anyOf:
    - {$ref: named.yaml#cat}
    - {$ref: https://example.com/schemas/dog.json}
    - {$ref: "index.yaml#/Bird/properties/wing", description: Beside it.}
    - {$ref: "#/kind"}
kind:
  type: object
  discriminator: {propertyName: kind, mapping: {fish: ./fish.yaml, eel: fish.yaml, gone: ./gone.yaml, other: Other}}
`,
    'named.yaml': 'x:\n  deep: {$anchor: cat, type: object, title: Cat}\n',
    'dogs/a.json':
      '{"$id": "https://example.com/schemas/dog.json", "type": "object", "properties": {"tail": {"$ref": "tail.json"}}}',
    'dogs/b.json': '{"$id": "https://example.com/schemas/tail.json", "type": "string"}',
    'index.yaml': 'Bird: {$ref: bird.yaml}\n',
    'bird.yaml': 'properties: {wing: {type: integer}}\n',
    'fish.yaml': 'type: object\n',
  });
  assert.deepEqual(warnings, [
    'all.yaml:9 There is no file `./gone.yaml` among the files that were sent. Put it there, or correct the reference.',
  ]);
  const { schemas } = document.components;
  assert.deepEqual(schemas.all.anyOf, [
    { $ref: '#/components/schemas/deep' },
    { $ref: '#/components/schemas/a' },
    { $ref: '#/components/schemas/wing', description: 'Beside it.' },
    { $ref: '#/components/schemas/kind' },
  ]);
  assert.deepEqual(schemas.a, {
    type: 'object',
    properties: { tail: { $ref: '#/components/schemas/b' } },
  });
  assert.equal(schemas.wing.type, 'integer');
  const fish = '#/components/schemas/fish';
  assert.deepEqual(schemas.kind.discriminator.mapping, {
    fish,
    eel: fish,
    gone: './gone.yaml',
    other: 'Other',
  });
});

test('path items, texts and maps that lie elsewhere are put in place, circles included', async () => {
  const { document, warnings } = await read({
    'openapi.yaml': `openapi: 3.1.0
info: {title: Pets, version: "1", description: {$ref: about.md}}
paths:
  /pets: {$ref: item.yaml, summary: Pets}
  /toys: {$ref: "item.yaml"}
`,
    'about.md': '# About\n\nPets.\n',
    'item.yaml': `summary: An item
get:
  responses: {$ref: responses.yaml}
  x-codeSamples: [{$ref: sample.yaml}]
  x-other: {$ref: sample.yaml}
post:
  callbacks: {added: {"{$request.body#/url}": {$ref: item.yaml}}}
`,
    'responses.yaml':
      '"200": {description: Good., content: {text/plain: {schema: {type: object, properties: {$ref: properties.yaml}}}}}\n',
    'properties.yaml': 'a: {type: string}\nb: {$ref: "#/a"}\n',
    'sample.yaml': 'lang: Shell\nsource: curl\n',
  });
  assert.deepEqual(warnings, []);
  assert.equal(document.info.description, '# About\n\nPets.\n');
  const [pets, toys] = [document.paths['/pets'], document.paths['/toys']];
  assert.deepEqual([pets.summary, toys.summary], ['Pets', 'An item']);
  assert.deepEqual(pets.get['x-codeSamples'], [{ lang: 'Shell', source: 'curl' }]);
  assert.deepEqual(pets.get['x-other'], { $ref: 'sample.yaml' });
  assert.deepEqual(pets.post.callbacks.added['{$request.body#/url}'], { $ref: '#/paths/~1pets' });
  assert.deepEqual(pets.get.responses['200'].content['text/plain'].schema.properties, {
    a: { type: 'string' },
    b: { $ref: '#/components/schemas/a' },
  });
});

test('Swagger 2.0 keeps what it shares at its root', async () => {
  const { document, warnings, operations } = await read({
    'openapi.yaml': `swagger: "2.0"
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      parameters: [{$ref: shared.yaml#/limit}]
      responses: {"200": {description: Good., schema: {$ref: pet.json}}, default: {$ref: shared.yaml#/failed}}
`,
    'shared.yaml': 'limit: {name: limit, in: query, type: integer}\nfailed: {description: Bad.}\n',
    'pet.json': '{"type": "object", "properties": {"self": {"$ref": "#"}}}',
  });
  assert.deepEqual(warnings, []);
  assert.equal(operations.length, 1);
  assert.deepEqual(document.definitions, {
    pet: { type: 'object', properties: { self: { $ref: '#/definitions/pet' } } },
  });
  assert.deepEqual(
    [Object.keys(document.parameters), Object.keys(document.responses)],
    [['limit'], ['failed']],
  );
});

test('what leads nowhere is told with the file and line of the reference, and what to do', async () => {
  const { document, warnings } = await read({
    'openapi.yaml': `${withSchema('{$ref: models/all.yaml}')}`,
    'models/all.yaml': `type: object
properties:
  gone: {$ref: gone.yaml}
  host: {$ref: "https://example.com/pet.yaml#/Pet"}
  out: {$ref: ../../out.yaml}
  root: {$ref: /etc/pet.yaml}
  part: {$ref: "#/properties/goen"}
  other: {$ref: "../shared.yaml#/Pest"}
  text: {$ref: "../shared.yaml#/name"}
  deep: {$ref: "../shared.yaml#/name/0"}
  circle: {$ref: "circle-a.yaml"}
  picture: {$ref: ../logo.png}
  markdown: {$ref: ../README.md}
  whole: {$ref: ../openapi.yaml}
  broken: {$ref: broken.yaml}
  again: {$ref: "broken.yaml#/Pet"}
  pet: {$ref: ../shared.yaml#/Chain}
`,
    'models/broken.yaml': 'type: object\nproperties:\n  a: [\n',
    'models/circle-a.yaml': '$ref: circle-b.yaml\n',
    'models/circle-b.yaml': '$ref: circle-a.yaml\n',
    'shared.yaml': 'Pet: {type: object}\nname: Text\nChain:\n  $ref: "#/Nope"\n',
    'logo.png': '\x89PNG',
    'README.md': '# Read me\n',
  });
  const of = (line: string) => warnings.filter((one) => one.startsWith(line));
  const expected: Record<string, RegExp> = {
    'models/all.yaml:3 ': /There is no file `gone\.yaml`/,
    'models/all.yaml:4 ':
      /`https:\/\/example\.com\/pet\.yaml` is on another host.*Download it into the folder/,
    'models/all.yaml:5 ': /leads out of the folder/,
    'models/all.yaml:6 ': /is not a relative path/,
    'models/all.yaml:7 ':
      /There is no `#\/properties\/goen` in `models\/all\.yaml`\. Did you mean `#\/properties\/gone`/,
    'models/all.yaml:8 ': /There is no `#\/Pest` in `shared\.yaml`\. Did you mean `#\/Pet`/,
    'models/all.yaml:9 ': /leads to text, where a schema is expected/,
    'models/all.yaml:10 ': /There is no `#\/name\/0`/,
    'models/circle-': /is a circular reference/,
    'logo.png:': /neither YAML nor JSON/,
    'models/all.yaml:13 ': /leads to text, where a schema/,
    'models/all.yaml:14 ': /whole OpenAPI document/,
    'models/broken.yaml:': /./,
    'shared.yaml:4 ': /There is no `#\/Nope` in `shared\.yaml`/,
  };
  for (const [line, message] of Object.entries(expected)) {
    assert.equal(of(line).length, 1, `${line}: ${warnings.join('\n')}`);
    assert.match(of(line)[0] ?? '', message);
  }
  assert.equal(warnings.length, Object.keys(expected).length, warnings.join('\n'));
  assert.deepEqual(Object.keys(document.components.schemas), ['all']);
});

test('findings name the file and line in which the wrong thing stands', async () => {
  const { warnings } = await read({
    'openapi.yaml': `${HEAD}paths:\n  /pets: {$ref: pets.yaml}\n`,
    'pets.yaml': '# Pets\nget:\n  responses:\n    "200": {$ref: good.yaml}\n',
    'good.yaml': 'description: Good.\ncontent:\n  application/json:\n    schema: {type: strin}\n',
  });
  assert.deepEqual(warnings, [
    'good.yaml:4 `schema.type` must be `array`, `boolean`, `integer`, `number`, `object` or `string`; it is `strin`. Did you mean `string`?',
  ]);
});

test('findings of pages name the file too, in Swagger 2.0 as well', async () => {
  const { warnings } = await read({
    'openapi.yaml': `swagger: "2.0"
info: {title: Pets, version: "1"}
paths: {/pets: {get: {responses: {"200": {description: Good., schema: {$ref: "models.yaml#/Pet"}}}}}}
`,
    'models.yaml': 'Pet:\n  type: object\n  properties:\n    a: {type: strin}\n',
  });
  assert.equal(warnings.length, 1, warnings.join('\n'));
  assert.match(warnings[0] ?? '', /^models\.yaml:4 /);
});

test('a place behind a reference is that of what it leads to', async () => {
  const long = 'a'.repeat(30_000);
  const files = new Map([
    ['openapi.yaml', `${HEAD}paths: {/pets: {get: {responses: {"200": {$ref: good.yaml}}}}}\n`],
    ['good.yaml', `description: Good.\ncontent:\n  text/plain:\n    example: ${long}\n`],
  ]);
  const finder = archiveFiles(
    new Map([...files].map(([path, text]) => [path, Buffer.from(text)])),
    1_000_000,
  );
  const text = Buffer.from(files.get('openapi.yaml') ?? '');
  const checked = await readCheckedDocument(text, 'openapi.yaml', () => {}, { files: finder });
  assert.ok('placeOf' in checked);
  const { file, pointer, line } = checked.placeOf(
    '/paths/~1pets/get/responses/200/content/text~1plain/example',
  );
  assert.deepEqual([file, pointer, line], ['good.yaml', '/content/text~1plain/example', 4]);
});

test('a document that says its own address is called by it from other files', async () => {
  for (const self of ['https://example.com/apis/pets.yaml', '/apis/pets.yaml']) {
    const { document, warnings } = await read({
      'openapi.yaml': `openapi: 3.2.0
$self: ${self}
info: {title: Pets, version: "1"}
paths: {}
components:
  schemas:
    Pet: {type: object, properties: {self: {$ref: "pets.yaml#/components/schemas/Pet"}}}
    Toy: {$ref: toy.yaml}
`,
      'toy.yaml':
        'type: object\nproperties: {pet: {$ref: "openapi.yaml#/components/schemas/Pet"}}\n',
    });
    assert.deepEqual(warnings, [], self);
    const pet = { $ref: '#/components/schemas/Pet' };
    assert.deepEqual(document.components.schemas.Pet.properties.self, pet);
    assert.deepEqual(document.components.schemas.Toy.properties.pet, pet);
  }
});

test('a document that cannot be shown names the files with its problems', async () => {
  const { problems } = await read({
    'openapi.yaml': `${HEAD}paths:\n  /pets: {$ref: pets.yaml}\n`,
    'pets.yaml': 'get: [\n',
  });
  assert.deepEqual(
    problems.map(({ file, line }) => [file, line]),
    [['pets.yaml', 2]],
  );
});

test('files are bounded together, in bytes, depth and how often they contain each other', async () => {
  const file = `type: string\ndescription: ${'a'.repeat(1_000)}\n`;
  const large = await read({ 'openapi.yaml': withSchema('{$ref: a.yaml}'), 'a.yaml': file }, 1_000);
  assert.match(large.problems[0]?.message ?? '', /more than the 1 kB.*DASHBOARD_MAX_UPLOAD_BYTES/);
  const bomb: Record<string, string> = {
    'openapi.yaml': `${HEAD}paths: {}\nx: {$ref: f0.yaml}\n`,
    'f9.yaml': 'a: 1\n',
  };
  for (let at = 0; at < 9; at += 1)
    bomb[`f${at}.yaml`] = Array.from(
      { length: 10 },
      (_, i) => `a${i}: {$ref: f${at + 1}.yaml}\n`,
    ).join('');
  assert.match((await read(bomb)).problems[0]?.message ?? '', /contain each other so often/);
});

test('five thousand files are read, each once', async () => {
  const texts: Record<string, string> = { 'openapi.yaml': withSchema('{$ref: m/0.yaml}') };
  for (let at = 0; at < 5_000; at += 1)
    texts[`m/${at}.yaml`] =
      `type: object\nproperties: {next: {$ref: ${(at + 1) % 5_000}.yaml}, root: {$ref: 0.yaml}}\n`;
  const { document, warnings } = await read(texts);
  assert.deepEqual(warnings, []);
  assert.equal(Object.keys(document.components.schemas).length, 5_000);
  assert.ok(schemaOf(document).$ref);
});
