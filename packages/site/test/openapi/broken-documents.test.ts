import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import fc from 'fast-check';
import { type BuildProblem, boundedLog } from '../../src/build-log.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { levelOf } from '../../src/rules.ts';

coverNothing();

/** What is told of a document: the problem for which it is refused, or what it is published with. */
async function toldOf(
  document: string | Uint8Array,
  name = '',
): Promise<{ isRefused: boolean; problems: BuildProblem[] }> {
  const found: BuildProblem[] = [];
  const { log, end } = boundedLog((line) => {
    if ('rule' in line && levelOf(line.rule) === 'warning') found.push(line);
  });
  const result = await readCheckedDocument(Buffer.from(document), name, log);
  end();
  const isRefused = 'problems' in result;
  return { isRefused, problems: isRefused ? [...result.problems] : found };
}

async function problemsOf(document: string | Uint8Array, name = ''): Promise<BuildProblem[]> {
  return (await toldOf(document, name)).problems;
}

/** Each: the document, and where what is wrong with it is found and how it is said. */
const SYNTAX: {
  what: string;
  document: string | Uint8Array;
  name?: string;
  path?: string;
  line: number | null;
  says: RegExp;
}[] = [
  { what: 'nothing', document: ' \n', line: null, says: /is empty/ },
  {
    what: 'a comma too many',
    document: '{\n"openapi": "3.1.0",\n}',
    line: 2,
    says: /comma after the last/,
  },
  { what: 'no end', document: '{"openapi": "3.1.0"', line: 1, says: /is never closed/ },
  { what: 'single quotes in JSON', document: "{'a': 1}", line: 1, says: /double quotes/ },
  { what: 'a comment in JSON', document: '{\n// no\n"a": 1}', line: 2, says: /no comments/ },
  {
    what: 'a member twice',
    document: '{"a": {\n"b": 1,\n"b": 2}}',
    path: '/a/b',
    line: 3,
    says: /`b` is there twice/,
  },
  {
    what: 'a member twice, once as a number',
    document: 'a:\n  200: x\n  "200": y',
    path: '/a/200',
    line: 3,
    says: /twice/,
  },
  { what: 'a list', document: '[1]', line: 1, says: /it is a list/ },
  { what: 'a text', document: 'hello', line: 1, says: /it is text/ },
  {
    what: 'two documents',
    document: 'openapi: 3.1.0\n---\na: 1',
    line: 2,
    says: /several YAML documents/,
  },
  { what: 'a tab', document: 'a:\n\t- b', line: 2, says: /Tabs/ },
  {
    what: 'an unknown alias',
    document: 'x: 1\na: *b',
    line: 2,
    says: /^`\*b` refers to a value named `&b`, but no value before it has that name\./,
  },
  {
    what: 'a merge of what is no object',
    document: 'x: 1\n<<: 1',
    line: 2,
    says: /^`<<` takes over the members of other objects\./,
  },
  { what: 'a merge twice, of nothing', document: '<<: *a\n<<: *a', line: 1, says: /named `&a`/ },
  {
    what: 'a web page for its text',
    document: '<!DOCTYPE html>\n<html></html>',
    line: 1,
    says: /is a web page/,
  },
  { what: 'an alias of itself', document: 'a: &b {c: *b}', line: null, says: /aliases/ },
  { what: 'an alias bomb', document: bomb(), line: null, says: /aliases/ },
  {
    what: 'a deep list in JSON',
    document: '['.repeat(100_000),
    line: 1,
    says: /more than 640 deep/,
  },
  {
    what: 'a deep object in JSON',
    document: '{"a":\n'.repeat(5_000),
    line: 641,
    says: /more than 640 deep/,
  },
  {
    what: 'a deep list in YAML',
    document: `a: ${'['.repeat(100_000)}`,
    line: 1,
    says: /more than 640 deep/,
  },
  {
    what: 'deep dashes in YAML',
    document: '- '.repeat(5_000),
    line: null,
    says: /more than 640 deep/,
  },
  {
    what: 'a number without end',
    document: '{"a": [1,\n1e999]}',
    path: '/a/1',
    line: 2,
    says: /larger than any program/,
  },
  { what: 'no number', document: 'a:\n  b: .nan', path: '/a/b', line: 2, says: /no number \.nan/ },
  { what: 'a list for a name', document: '? [a]\n: b', line: 1, says: /must be text/ },
  {
    what: 'Latin-1',
    document: Uint8Array.from([0x7b, 0x0a, 0xe9, 0x7d]),
    line: 2,
    says: /not UTF-8/,
  },
  { what: 'UTF-16', document: Buffer.from('\ufeff{}', 'utf16le'), line: null, says: /UTF-16/ },
  {
    what: 'UTF-16 without a mark',
    document: Buffer.from('{"a": 1}', 'utf16le'),
    line: null,
    says: /UTF-16/,
  },
];

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 30; n += 1) {
    lines.push(
      `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
    );
  }
  return lines.join('\n');
}

for (const { what, document, name, path = '', line, says } of SYNTAX) {
  test(`a document with ${what} is refused, with the place`, async () => {
    const problems = await problemsOf(document, name);
    assert.equal(problems.length, 1);
    assert.match(problems[0]?.message ?? '', says);
    assert.deepEqual([problems[0]?.path, problems[0]?.line], [path, line]);
  });
}

const HEAD = 'openapi: 3.0.3\ninfo: {title: T, version: "1"}\n';

const HEAD_31 = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\n';

const OK = 'responses: {"200": {description: x}}';

const path = (name: string) =>
  `parameters: [{in: path, name: ${name}, required: true, schema: {type: string}}]`;

/** Each: the document, and all that is found wrong with it: line, place, words. */
const CONTENTS: {
  what: string;
  document: string;
  isRefused?: true;
  finds: [number, string, RegExp][];
}[] = [
  {
    what: 'no version',
    isRefused: true,
    document: 'info: {}',
    finds: [[1, '', /doesn't say its version/]],
  },
  {
    what: 'a number for a version',
    document: 'openapi: 3.1\ninfo: {title: T, version: "1"}\npaths: {}',
    finds: [[1, '/openapi', /is the number 3\.1\. Put it in quotes/]],
  },
  {
    what: 'a number for the version of Swagger',
    document: 'swagger: 2.0\ninfo: {title: T, version: "1"}\npaths: {}',
    finds: [[1, '/swagger', /is the number 2\. Put it in quotes/]],
  },
  {
    what: 'a number for a version that there is not',
    document: 'openapi: 4\npaths: {}',
    isRefused: true,
    finds: [[1, '/openapi', /is the number 4\. Put it in quotes/]],
  },
  {
    what: 'OpenAPI 3.3',
    isRefused: true,
    document: 'openapi: 3.3.0',
    finds: [[1, '/openapi', /is 3\.3\.0\. Swagger 2\.0 and OpenAPI 3\.0, 3\.1 and 3\.2/]],
  },
  {
    what: 'Swagger 1.2',
    isRefused: true,
    document: 'swagger: "1.2"',
    finds: [[1, '/swagger', /is 1\.2/]],
  },
  {
    what: 'a number for text',
    document: 'openapi: 3.0.3\ninfo:\n  title: T\n  version: 1\npaths: {}',
    finds: [
      [
        4,
        '/info/version',
        /^`info\.version` must be text; it is the number 1\. Put it in quotes\.$/,
      ],
    ],
  },
  {
    what: 'neither paths nor anything else',
    isRefused: true,
    document: HEAD_31,
    finds: [[1, '', /must have `paths`, `components` or `webhooks`/]],
  },
  {
    what: 'misspelt members in the place of what there must be',
    isRefused: true,
    document: 'openapi: 3.0.3\ninfo:\n  titel: A\n  vesion: "1"\npahts: {}',
    finds: [
      [
        1,
        '',
        /^The document must have `paths`\. It has `pahts` on line 5: did you mean `paths`\?$/,
      ],
      [2, '/info', /^`info` must have `title`\. It has `titel` on line 3: did you mean `title`\?$/],
      [2, '/info', /^`info` must have `version`\. It has `vesion` on line 4: did you mean/],
    ],
  },
  {
    what: 'a misspelt member of OpenAPI 3.1, where names of all kinds may be',
    isRefused: true,
    document: 'openapi: 3.1.0\ninfo:\n  titel: A\n  version: "1"\npath: {}',
    finds: [
      [1, '', /must have `paths`.* It has `path` on line 5: did you mean `paths`\?$/],
      [2, '/info', /^`info` must have `title`\. It has `titel` on line 3: did you mean `title`\?$/],
    ],
  },
  {
    what: 'a misspelt version',
    isRefused: true,
    document: 'info: {}\nopanapi: 3.0.3',
    finds: [
      [1, '', /doesn't say its version.* It has `opanapi` on line 2: did you mean `openapi`\?$/],
    ],
  },
  {
    what: 'a misspelt method and a misspelt reference',
    document: `${HEAD}paths:\n  /a:\n    gte: {}\n    get:\n      responses:\n        "200":\n          $ref: "#/components/responses/Pte"\ncomponents:\n  responses:\n    Pet: {description: x}`,
    finds: [
      [5, '/paths/~1a/gte', /doesn't know here: `gte`\. Did you mean `get`\?/],
      [
        9,
        '/paths/~1a/get/responses/200/$ref',
        /^There is no `#\/components\/responses\/Pte` in this document\. Did you mean `#\/components\/responses\/Pet`\?$/,
      ],
    ],
  },
  { what: 'no paths', isRefused: true, document: HEAD, finds: [[1, '', /must have `paths`/]] },
  {
    what: 'a typing error',
    document: `${HEAD_31}paths:\n  /a:\n    get:\n      ${OK}\n      sumary: x`,
    finds: [[7, '/paths/~1a/get/sumary', /^`GET \/a` has a member .*`sumary`/]],
  },
  {
    what: 'a path without its slash',
    document: `${HEAD_31}paths:\n  a: {}`,
    finds: [[4, '/paths/a', /must begin with \//]],
  },
  {
    what: 'a type that there is not, far down',
    document: `${HEAD}paths:\n  /a:\n    get:\n      responses:\n        "200":\n          description: x\n          content:\n            a/b:\n              schema:\n                properties:\n                  n:\n                    type: strin`,
    finds: [
      [
        14,
        '/paths/~1a/get/responses/200/content/a~1b/schema/properties/n/type',
        /^`n\.type` must be `array`, .* or `string`; it is `strin`\. Did you mean `string`\?$/,
      ],
    ],
  },
  {
    what: 'a parameter in no place',
    document: `${HEAD}paths:\n  /a:\n    get:\n      ${OK}\n      parameters:\n        - name: x\n          in: body\n          schema: {}`,
    finds: [
      [
        9,
        '/paths/~1a/get/parameters/0/in',
        /must be `path`, `query`, `header` or `cookie`; it is `body`/,
      ],
    ],
  },
  {
    what: 'a security scheme that lacks what its type has',
    document: `${HEAD}paths: {}\ncomponents:\n  securitySchemes:\n    key:\n      type: http`,
    finds: [[6, '/components/securitySchemes/key', /must have `scheme`/]],
  },
  {
    what: 'references to nowhere and to elsewhere',
    document: `${HEAD}paths:\n  /a:\n    $ref: ./a.yaml\n  /b:\n    get:\n      responses:\n        "200":\n          $ref: "#/components/responses/No"`,
    finds: [
      [
        5,
        '/paths/~1a/$ref',
        /`\.\/a\.yaml` lies outside of this document, and nothing outside is fetched/,
      ],
      [10, '/paths/~1b/get/responses/200/$ref', /There is no `#\/components\/responses\/No`/],
    ],
  },
  {
    what: 'an operationId twice',
    document: `${HEAD}paths:\n  /a:\n    get: {operationId: x, ${OK}}\n    put:\n      operationId: x\n      ${OK}`,
    finds: [[7, '/paths/~1a/put/operationId', /must be unique; GET \/a has `x` too/]],
  },
  {
    what: 'a parameter that nothing describes',
    document: `${HEAD}paths:\n  /a/{x}:\n    get: {${OK}}`,
    finds: [[5, '/paths/~1a~1{x}/get', /parameter `\{x\}`, which must be described/]],
  },
  {
    what: 'two operations of one method and shape',
    document: `${HEAD}paths:\n  /a/{x}:\n    get: {${OK}, ${path('x')}}\n  /a/{y}:\n    get: {${OK}, ${path('y')}}`,
    finds: [
      [7, '/paths/~1a~1{y}/get', /No request can tell `GET \/a\/\{y\}` from `GET \/a\/\{x\}`/],
    ],
  },
  {
    what: 'two paths of one shape whose methods differ',
    document: `${HEAD}paths:\n  /a/{x}:\n    get: {${OK}, ${path('x')}}\n  /a/{y}:\n    put: {${OK}, ${path('y')}}`,
    finds: [],
  },
];

for (const { what, document, finds, isRefused = false } of CONTENTS) {
  test(`a document with ${what} is ${isRefused ? 'refused' : 'published'}, and each problem told with its place and in words`, async () => {
    const { problems, ...told } = await toldOf(document);
    assert.equal(told.isRefused, isRefused);
    assert.deepEqual(
      problems.map(({ line, path }) => [line, path]),
      finds.map(([line, path]) => [line, path]),
      JSON.stringify(problems, undefined, 1),
    );
    for (const [at, [, , says]] of finds.entries()) assert.match(problems[at]?.message ?? '', says);
  });
}

/** Slips in YAML: the text, the line to mend, and all that is said. */
const SLIPS: readonly [text: string, line: number, says: string][] = [
  [
    'info:\n  title: A\n    version: "1"\n',
    3,
    'Line 3 is indented deeper than line 2, which already has a value. Begin both in the same column, or take the value of line 2 away.',
  ],
  ['title: A: b', 1, 'The value `A: b` has a colon in it. Put it in quotes: `"A: b"`.'],
  [
    'info:\n    title: A\n  # why\n\n  version: "1"\n',
    5,
    'Line 5 is indented by 2 spaces, line 2 by 4 spaces, and no object that is open begins there. Begin all members of an object in the same column.',
  ],
  [
    'a:\n  - name: x\n  in: y\n',
    3,
    'Line 3 is indented by 2 spaces; what belongs to the list item above it, by 4 spaces. Begin all members of an item in the same column, and a new item with `- `.',
  ],
  [
    'a:\n\tb: 1\n',
    2,
    'Tabs cannot indent a line in YAML. Replace those at the beginning of line 2 with spaces.',
  ],
  [
    'a: 1\ninfo\n  title: A\n',
    2,
    'Line 2, `info`, has no colon. Write `info:` in front of what belongs to it, or `info: value`.',
  ],
  ['a: 1\nopenapi:3.1.0\n', 2, 'Line 2 has no space after its colon. Write `openapi: 3.1.0`.'],
  [
    'a:\n  title A\n  b: 1\n',
    2,
    'Line 2, `title A`, has no colon after its name. Write `name: value`.',
  ],
  ['a: 1\nb: "c\nd: 2\n', 2, 'The closing quote of the text that begins here is missing.'],
  [
    'a: "b\n  c: " d\n',
    1,
    'The text in quotes that begins on line 1 ends on line 2 only, where more follows it. Its closing quote is missing on line 1.',
  ],
  [
    "a:\n  '200:\n    $ref: '#/b'\n",
    2,
    'The text in quotes that begins on line 2 ends on line 3 only, where more follows it. Its closing quote is missing on line 2.',
  ],
  ['a: "b"#c\n', 1, 'Put a space before the `#` of a comment; text with a `#` in quotes.'],
  ['a: "b" c\n', 1, 'More follows the closing quote of this value. Put all of it in quotes.'],
  [
    'a: [1, 2\nb: 3\n',
    2,
    'The `[` of line 1 is not closed before line 2. Put a `]` where it ends; lines within the two must be indented deeper than the line where it begins.',
  ],
  [
    'a: {x: 1 y: 2}\n',
    1,
    'Between { and }, or [ and ], a comma must come after each value but the last: one is missing here.',
  ],
  ['a: [1]]\n', 1, 'There is a `]` too many here: nothing is open that it could close.'],
  [
    'a: "\\d+"\n',
    1,
    '`\\d` means nothing in double quotes. Write the backslash twice (`\\\\d`), or put the text in single quotes.',
  ],
  ['a: @x\n', 1, 'Text that begins with `@` must be in quotes: `"@x"`.'],
  [
    'content:\n  */*:\n    schema: {}\n',
    2,
    '`*/*` is not in quotes, and `*` refers to a named value in YAML. Put the text in quotes: `"*/*"`.',
  ],
  [
    'a:\n  - 1\n - 2\n',
    3,
    "Line 3 begins in another column than the list's items above it. Begin each `-` of a list in the same column.",
  ],
  [
    'a: 1\n- b\n',
    2,
    'Line 2 is an item of a list, but what is above it are members of an object. Put the list under a name that ends in a colon, or leave out the `-`.',
  ],
  [
    'tags: - b\n',
    1,
    'A list begins on the line after its name. Put each `- item` on a line of its own.',
  ],
  [
    'a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n',
    2,
    'Line 2 is a mark that git left where two versions differ. Keep one version, and remove the marks.',
  ],
  [
    'a: 1\nb: {{ x }}\n',
    2,
    'The name of a member must be text. Text that begins with { or [ must be in quotes.',
  ],
];

test('a slip in YAML is told with the line to mend, and what would be right', async () => {
  for (const [text, line, says] of SLIPS) {
    const problems = await problemsOf(text);
    assert.deepEqual(
      problems.map((one) => [one.line, one.message]),
      [[line, says]],
      text,
    );
  }
});

/** Slips in JSON: the text, the line to mend, and all that is said. */
const JSON_SLIPS: readonly [text: string, line: number, says: string][] = [
  [
    '{\n"a": 1,\n}',
    2,
    'There is a comma after the last member, and JSON takes none there. Remove it.',
  ],
  [
    '{"a": [1,\n2,\n]}',
    2,
    'There is a comma after the last item, and JSON takes none there. Remove it.',
  ],
  [
    '{\n"a": 1\n"b": 2\n}',
    2,
    'A comma is missing at the end of line 2, before what follows on line 3.',
  ],
  ['{"a": [1 2]}', 1, 'A comma is missing before `2]}`.'],
  ['{\n"a" 1\n}', 2, 'A colon is missing after `"a"`. Write `"name": value`.'],
  ['{\na: 1\n}', 2, 'The name of a member must be in double quotes: `"a"`.'],
  ["{\n'a': 1\n}", 2, 'The name of a member must be in double quotes, not in single ones.'],
  ['{"a":\n}', 1, 'The value is missing after `"a":`.'],
  [
    '{"a": True}',
    1,
    '`True` is not a value in JSON. Text must be in double quotes; the only words without them are true, false and null.',
  ],
  ['{"a": 1,\n"b": {"c": 2}', 2, 'The `{` of line 1 is never closed. Put a `}` where it ends.'],
  ['{"a":\n[1, 2', 2, 'The `[` of line 2 is never closed. Put a `]` where it ends.'],
  [
    '{"a": 1}}',
    1,
    'The document ends before `}`. Remove that, or look for a bracket that is closed too early.',
  ],
  ['{\n"a": 01}', 2, '`01` is not a number in JSON. Numbers are written like 0.5, -1 or 1e9.'],
  ['{\n"a": "b\n}', 2, 'The closing double quote of the text that begins here is missing.'],
  ['{"a": "\\d"}', 1, 'JSON has no such escape in text. Write a backslash itself as `\\\\`.'],
  [
    '{\n<<<<<<< HEAD\n"a": 1\n}',
    2,
    'Line 2 is a mark that git left where two versions differ. Keep one version, and remove the marks.',
  ],
];

test('a slip in JSON is told with the line to mend, and what would be right', async () => {
  for (const [text, line, says] of JSON_SLIPS) {
    const problems = await problemsOf(text, 'a.json');
    assert.deepEqual(
      problems.map((one) => [one.line, one.message]),
      [[line, says]],
      text,
    );
  }
});

test('text that is not YAML is explained without the words of the parser', async () => {
  const lines = [
    'a: 1',
    '  b: 2',
    '- c',
    '{',
    '}',
    '[',
    '"',
    "'",
    ': ',
    '&a',
    '*b',
    '!t',
    '|',
    '%',
    '\t',
    '? x',
    ',',
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...lines), { maxLength: 8 }), async (parts) => {
      for (const glue of ['\n', ' ', '']) {
        for (const { message, line } of await problemsOf(parts.join(glue), 'a.yaml')) {
          assert.doesNotMatch(message, /This is not YAML|implicit|scalar|node|flow|token|Symbol/i);
          assert.ok(line === null || line <= parts.length + 1, message);
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** A schema `n` in each version of OpenAPI, with its `type` on line 9. */
const SCHEMAS = {
  '2.0': (type: string) =>
    `swagger: "2.0"\ninfo: {title: T, version: "1"}\npaths: {}\ndefinitions:\n\n  A:\n    properties:\n      n:\n        type: ${type}`,
  '3.0': (type: string) =>
    `${HEAD}paths: {}\ncomponents:\n  schemas:\n    A:\n      properties:\n        n:\n          type: ${type}`,
  '3.1': (type: string) =>
    `${HEAD_31}paths:\n  /a:\n    get:\n      ${OK}\n      parameters:\n        - {name: q, in: query, schema: {items:\n            {properties: {n: {type: ${type}}}}}}`,
};

const TYPES: readonly [type: string, says: RegExp][] = [
  ['int', /it is `int`\. Did you mean `integer`\?$/],
  ['Int64', /it is `Int64`\. Did you mean `integer`\?$/],
  ['bool', /it is `bool`\. Did you mean `boolean`\?$/],
  ['float', /it is `float`\. Did you mean `number`\?$/],
  ['date-time', /it is `date-time`\. Did you mean `string`\?$/],
  ['intger', /it is `intger`\. Did you mean `integer`\?$/],
  ['String', /it is `String`\. Did you mean `string`\?$/],
  ['file', /it is `file`\. Did you mean `string`\?$/],
  ['constructor', /it is `constructor`\.$/],
];

for (const [version, document] of Object.entries(SCHEMAS)) {
  test(`a schema's type that there is not is told with its line, and the one that was meant, in version ${version}`, async () => {
    for (const [type, says] of TYPES) {
      const problems = await problemsOf(document(type));
      assert.equal(problems.length, 1, JSON.stringify(problems));
      const [{ line, path, message }] = problems as [BuildProblem];
      assert.equal(line, 9);
      assert.match(path, /\/properties\/n\/type$/);
      assert.match(
        message,
        /^`n\.type` must be `array`, `boolean`, `integer`, .* or `string`; it is/,
      );
      assert.match(message, says);
    }
    const none = await problemsOf(document(version === '3.1' ? '[string, "null"]' : 'string'));
    assert.deepEqual(none, []);
  });
}

test('of several types in a list each is looked at', async () => {
  const says = async (type: string) =>
    (await problemsOf(SCHEMAS['3.1'](type))).map(({ path, message }) => [
      path.replace(/.*\/n/, 'n'),
      message,
    ]);
  const must = 'must be `array`, `boolean`, `integer`, `null`, `number`, `object` or `string`';
  assert.deepEqual(await says('[string, int, null]'), [
    ['n/type/1', `\`type.1\` ${must}; it is \`int\`. Did you mean \`integer\`?`],
    ['n/type/2', `\`type.2\` ${must}; it is null. Put it in quotes.`],
  ]);
  assert.deepEqual(await says('{}'), [['n/type', `\`n.type\` ${must}; it is an object.`]]);
});

test('only a type of a schema is one', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1', 'x-kind': { schema: { type: 'own' } } },
    paths: {
      '/a': {
        get: {
          responses: {
            200: {
              description: 'x',
              content: {
                'a/b': { schema: true, example: { type: 'dog' } },
                'a/c': { schema: { default: { schema: { type: 'dog' } } }, examples: {} },
              },
              links: {
                next: { operationId: 'a', parameters: { type: 'x' }, requestBody: { type: 'x' } },
              },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: {
        type: { enum: [{ type: 'dog' }], const: { type: 'dog' }, examples: [{ type: 'dog' }] },
        A: {
          properties: { type: { type: 'string' }, schema: {} },
          dependentRequired: { type: ['schema'] },
          discriminator: { propertyName: 'type', mapping: { type: '#/components/schemas/type' } },
          'x-type': { type: 'dog' },
        },
      },
    },
  };
  assert.deepEqual(await problemsOf(JSON.stringify(document)), []);
});

test('a file is a type in Swagger 2.0 where a body can be one', async () => {
  const document = (type: string) =>
    `swagger: "2.0"\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    post:\n      consumes: [multipart/form-data]\n      parameters: [{name: f, in: formData, type: ${type}}]\n      responses: {"200": {description: x, schema: {type: ${type}}}}`;
  assert.deepEqual(await problemsOf(document('file')), []);
  const problems = await problemsOf(document('fil'));
  assert.deepEqual(
    problems.map(({ line, message }) => [line, message.replace(/^.*it is /, '')]),
    [
      [7, '`fil`. Did you mean `file`?'],
      [8, '`fil`. Did you mean `file`?'],
    ],
  );
});

test('a document whose operations are in other files is refused, with one sentence of what to do', async () => {
  const paths = Array.from(
    { length: 20 },
    (_, at) => `  /p${at}:\n    get:\n      $ref: 'a${at % 7}.yaml#/get'\n`,
  );
  const document = `${HEAD}paths:\n${paths.join('')}`;
  assert.deepEqual(await toldOf(document), {
    isRefused: true,
    problems: [
      {
        message:
          'The document refers to 7 other files in 20 places, here to `a0.yaml#/get`. Deploy it together with its files: `dashboard deploy openapi.yaml` takes along the files that a document refers to, and a folder or an archive may have them.',
        path: '/paths/~1p0/get/$ref',
        line: 6,
      },
    ],
  });
});

test('of very many problems fifty are told, and the others counted', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [`/p${at}`, { get: { responses: { 200: {} } } }]),
  );
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths };
  const problems = await problemsOf(JSON.stringify(document));
  assert.equal(problems.length, 51);
  assert.match(problems[50]?.message ?? '', /^And 30 others of this rule/);
});

test('hundreds of thousands of problems are told like fifty', async () => {
  const wrong = Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join();
  const document = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{${wrong}}}`;
  const problems = await problemsOf(document);
  assert.equal(problems.length, 51);
  assert.match(problems[0]?.message ?? '', /a path must begin with/);
  assert.match(problems[50]?.message ?? '', /^And more than 1,000 others of this rule/);
});
