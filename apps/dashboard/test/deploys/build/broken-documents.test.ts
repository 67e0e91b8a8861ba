import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import type { DeployProblem } from '../../../server/src/deploys/artifact.ts';
import { readCheckedDocument } from '../../../server/src/deploys/build/document-files.ts';
import { silent } from '../../support/build-site.ts';

coverNothing();

async function problemsOf(document: string | Uint8Array, name = ''): Promise<DeployProblem[]> {
  const result = await readCheckedDocument(Buffer.from(document), name, silent);
  return 'problems' in result ? [...result.problems] : [];
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
  { what: 'a comma too many', document: '{\n"openapi": "3.1.0",\n}', line: 3, says: /no comma/ },
  { what: 'no end', document: '{"openapi": "3.1.0"', line: 1, says: /closing brace/ },
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
  { what: 'an unknown alias', document: 'a: *b', line: null, says: /Unresolved alias/ },
  { what: 'an alias of itself', document: 'a: &b {c: *b}', line: null, says: /aliases/ },
  { what: 'an alias bomb', document: bomb(), line: null, says: /aliases/ },
  {
    what: 'a deep list in JSON',
    document: '['.repeat(100_000),
    line: 1,
    says: /more than 200 deep/,
  },
  {
    what: 'a deep object in JSON',
    document: '{"a":\n'.repeat(5_000),
    line: 201,
    says: /more than 200 deep/,
  },
  {
    what: 'a deep list in YAML',
    document: `a: ${'['.repeat(100_000)}`,
    line: 1,
    says: /more than 200 deep/,
  },
  {
    what: 'deep dashes in YAML',
    document: '- '.repeat(5_000),
    line: null,
    says: /more than 200 deep/,
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
  {
    what: 'too many bytes',
    document: Buffer.alloc(10_000_001, 0x20),
    line: null,
    says: /10\.0 MB|10 MB/,
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

/** Each: the document, and all that is found wrong with it: line, place, words. */
const CONTENTS: { what: string; document: string; finds: [number, string, RegExp][] }[] = [
  { what: 'no version', document: 'info: {}', finds: [[1, '', /doesn't say its version/]] },
  {
    what: 'a number for a version',
    document: 'openapi: 3.1',
    finds: [[1, '/openapi', /is the number 3\.1\. Put it in quotes/]],
  },
  {
    what: 'OpenAPI 3.2',
    document: 'openapi: 3.2.0',
    finds: [[1, '/openapi', /is 3\.2\.0\. Swagger 2\.0, OpenAPI 3\.0 and/]],
  },
  { what: 'Swagger 1.2', document: 'swagger: "1.2"', finds: [[1, '/swagger', /is 1\.2/]] },
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
    document: HEAD_31,
    finds: [[1, '', /must have `paths`, `components` or `webhooks`/]],
  },
  { what: 'no paths', document: HEAD, finds: [[1, '', /must have `paths`/]] },
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
        /^`n\.type` must be `array`, .* or `string`; it is `strin`/,
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
    what: 'two paths of one shape, and a parameter that nothing describes',
    document: `${HEAD}paths:\n  /a/{x}:\n    get: {${OK}}\n  /a/{y}: {}`,
    finds: [
      [5, '/paths/~1a~1{x}/get', /parameter `\{x\}`, which must be described/],
      [6, '/paths/~1a~1{y}', /No request can tell `\/a\/\{y\}` from `\/a\/\{x\}`/],
    ],
  },
];

for (const { what, document, finds } of CONTENTS) {
  test(`a document with ${what} is refused, each problem with its place and in words`, async () => {
    const problems = await problemsOf(document);
    assert.deepEqual(
      problems.map(({ line, path }) => [line, path]),
      finds.map(([line, path]) => [line, path]),
      JSON.stringify(problems, undefined, 1),
    );
    for (const [at, [, , says]] of finds.entries()) assert.match(problems[at]?.message ?? '', says);
  });
}

test('of very many problems fifty are told, and the others counted', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [`/p${at}`, { get: { responses: { 200: {} } } }]),
  );
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths };
  const problems = await problemsOf(JSON.stringify(document));
  assert.equal(problems.length, 51);
  assert.match(problems[50]?.message ?? '', /^And 30 more problems/);
});

test('hundreds of thousands of problems are told like fifty', async () => {
  const wrong = Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join();
  const document = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{${wrong}}}`;
  const problems = await problemsOf(document);
  assert.equal(problems.length, 51);
  assert.match(problems[0]?.message ?? '', /A path must begin with/);
  assert.match(problems[50]?.message ?? '', /^And thousands of other problems/);
});
