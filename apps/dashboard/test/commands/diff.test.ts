import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ChangeList } from '@petstore/changes/change.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { deployFiles } from '../support/guides.ts';
import { createProject, deploy, makeToken } from '../support/project.ts';
import { json, startService } from '../support/service.ts';

/** Writes files by their paths, and returns `dashboard diff …` beside them. */
async function setUp(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder(t);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const diff = (...args: string[]) => dashboard(folder, ['diff', ...args]);
  return Object.assign(diff, { read: (path: string) => readFile(join(folder, path), 'utf8') });
}

const OLD = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get:
      responses:
        '200':
          description: The pets
          content:
            application/json:
              schema:
                type: object
                required: [name]
                properties:
                  name: { type: string }
    delete:
      responses: { '204': { description: Gone } }
`;

const RENAMED = OLD.replace('required: [name]', 'required: [name, id]').replace(
  'name: { type: string }',
  'id: { type: string }',
);
const NEW = RENAMED.replace(/ {4}delete[\s\S]*$/, '');

test('dashboard diff lists what a new version breaks, with both places, and fails where it is asked to', async (t) => {
  const diff = await setUp(t, {
    'old.yaml': OLD,
    'new.yaml': NEW,
    'safe.yaml': OLD.replace('Gone', 'Away'),
  });
  const plain = await diff('old.yaml', 'new.yaml');
  assert.equal(plain.code, 0, plain.stderr);
  assert.equal(plain.stderr, '');
  assert.equal(
    plain.stdout,
    `Breaking (2)
  DELETE /pets: \`DELETE /pets\` was removed.
    old.yaml:16, gone [operation-removed]
  GET /pets: Property \`name\` of response 200 (application/json) was removed, and was always there.
    old.yaml:15, gone [response-required-property-removed]

Compatible (1)
  GET /pets: Property \`id\` of response 200 (application/json) was added, and is always there.
    new.yaml:15 [response-required-property-added]

2 breaking, 1 compatible
`,
  );
  const codes = async (...args: string[]) => (await diff(...args)).code;
  assert.equal(await codes('old.yaml', 'new.yaml', '--fail-on', 'breaking'), 1);
  assert.equal(await codes('old.yaml', 'new.yaml', '--fail-on', 'risky'), 1);
  assert.equal(await codes('old.yaml', 'safe.yaml', '--fail-on', 'risky'), 0);
  const same = await diff('old.yaml', 'old.yaml', '--fail-on', 'risky');
  assert.deepEqual([same.code, same.stdout], [0, 'No changes\n']);
});

test('dashboard diff --format json has every change with verdict, operation, both places and values', async (t) => {
  const diff = await setUp(t, {
    'old.yaml': OLD,
    'new.yaml': OLD.replace('name: { type: string }', 'name: { type: integer }'),
  });
  const { stdout, code } = await diff('old.yaml', 'new.yaml', '--format', 'json');
  assert.equal(code, 0);
  const pointer =
    '/paths/~1pets/get/responses/200/content/application~1json/schema/properties/name/type';
  assert.deepEqual(JSON.parse(stdout), {
    summary: { breaking: 1, risky: 0, compatible: 0, documentation: 0 },
    changes: [
      {
        code: 'response-type-changed',
        verdict: 'breaking',
        operation: 'GET /pets',
        message:
          'Property `name` of response 200 (application/json) changed its type from `string` to `integer`.',
        old: { file: 'old.yaml', line: 15, pointer, value: 'string' },
        new: { file: 'new.yaml', line: 15, pointer, value: 'integer' },
      },
    ],
  } satisfies ChangeList);
});

test('dashboard diff --report writes the list to files of several formats beside what it prints', async (t) => {
  const diff = await setUp(t, { 'old.yaml': OLD, 'new.yaml': NEW });
  const plain = await diff('old.yaml', 'new.yaml');
  const reports = ['--report', 'json=a=b.json', '--report', 'markdown=changes.md'];
  const both = await diff('old.yaml', 'new.yaml', ...reports, '--fail-on', 'breaking');
  assert.deepEqual([both.code, both.stdout, both.stderr], [1, plain.stdout, '']);
  const json = await diff('old.yaml', 'new.yaml', '--format', 'json');
  const markdown = await diff('old.yaml', 'new.yaml', '--format', 'markdown');
  assert.equal(await diff.read('a=b.json'), json.stdout);
  assert.equal(await diff.read('changes.md'), markdown.stdout);

  for (const [report, message] of [
    ['toString=x', /must be FORMAT=FILE, with one of text, json/],
    ['json=', /must be FORMAT=FILE/],
    ['json', /must be FORMAT=FILE/],
    ['json=absent/changes.json', /absent\/changes\.json cannot be written: /],
  ] as const) {
    const refused = await diff('old.yaml', 'new.yaml', '--report', report);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, message);
  }
});

test('dashboard diff reads folders as a deploy does: docs.yaml, overlays, referenced files, exceptions', async (t) => {
  const files = (type: string, docs = '') => ({
    'docs.yaml': `title: Pets\nopenapi: api/main.yaml\noverlays: [api/over.yaml]\n${docs}`,
    'index.md': '# Pets\n',
    'api/main.yaml': OLD.replace('{ type: string }', '{ $ref: parts/name.yaml }'),
    'api/parts/name.yaml': `description: A name\ntype: ${type}\n`,
    'api/over.yaml': `overlay: 1.0.0\ninfo: { title: O, version: '1' }\nactions: [{ target: "$.paths['/pets'].delete", remove: true }]\n`,
  });
  const of = (name: string, all: object) =>
    Object.fromEntries(Object.entries(all).map(([path, content]) => [`${name}/${path}`, content]));
  const exceptions = (until: string) =>
    `changes:\n  exceptions:\n    - { code: response-type-changed, operation: GET /pets, reason: It was never text., until: ${until} }\n`;
  const diff = await setUp(t, {
    ...of('old', files('string')),
    ...of('new', files('integer')),
    ...of('meant', files('integer', exceptions('2999-12-31'))),
    ...of('late', files('integer', exceptions('2020-01-01'))),
    'whole.yaml': OLD.replace(/ {4}delete[\s\S]*$/, ''),
  });
  const list = async (...args: string[]): Promise<ChangeList> => {
    const { stdout, stderr, code } = await diff(...args, '--format', 'json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const [change, ...others] = (await list('old', 'new')).changes;
  assert.deepEqual(others, []);
  assert.deepEqual(change?.old, {
    file: 'old/api/parts/name.yaml',
    line: 2,
    pointer: '/type',
    value: 'string',
  });
  assert.deepEqual(change?.new, {
    file: 'new/api/parts/name.yaml',
    line: 2,
    pointer: '/type',
    value: 'integer',
  });
  const [allowed] = (await list('old', 'meant')).changes;
  assert.equal(allowed?.verdict, 'compatible');
  assert.deepEqual(allowed?.allowed, { by: 'exception', reason: 'It was never text.' });
  assert.match(allowed?.message ?? '', /Allowed until 2999-12-31: It was never text\.$/);
  assert.equal((await list('old', 'late')).summary.breaking, 1);
  // A folder and a document alone, and a document that refers to files without a docs.yaml.
  assert.deepEqual((await list('whole.yaml', 'old')).summary, {
    breaking: 0,
    risky: 0,
    compatible: 0,
    documentation: 1,
  });
  const [, second] = (await list('whole.yaml', 'new/api/main.yaml')).changes;
  assert.equal(second?.new?.file, 'new/api/main.yaml');
});

test('the documents of a folder are compared by their addresses', async (t) => {
  const docs = (...names: string[]) =>
    `title: Pets\nreferences:\n${names.map((name) => `  - { openapi: ${name}.yaml, address: ${name} }\n`).join('')}`;
  const api = (title: string) => OLD.replace('title: Pets', `title: ${title}`);
  const diff = await setUp(t, {
    'old/docs.yaml': docs('cats', 'dogs'),
    'old/cats.yaml': api('Cats'),
    'old/dogs.yaml': api('Dogs'),
    'new/docs.yaml': docs('dogs', 'birds'),
    'new/dogs.yaml': api('Dogs').replace('type: string', 'type: integer'),
    'new/birds.yaml': api('Birds'),
    'one.yaml': OLD,
  });
  const { stdout, stderr } = await diff('old', 'new', '--format', 'json');
  assert.equal(stderr, '');
  const { changes, summary } = JSON.parse(stdout) as ChangeList;
  assert.equal(summary.breaking, 3);
  assert.deepEqual(
    changes
      .filter(({ verdict }) => verdict !== 'documentation')
      .map(({ code, operation, old, new: now }) => [code, operation, old?.file, now?.file]),
    [
      ['operation-removed', 'GET /pets', 'old/cats.yaml', undefined],
      ['operation-removed', 'DELETE /pets', 'old/cats.yaml', undefined],
      ['response-type-changed', 'GET /pets', 'old/dogs.yaml', 'new/dogs.yaml'],
      ['operation-added', 'GET /pets', undefined, 'new/birds.yaml'],
      ['operation-added', 'DELETE /pets', undefined, 'new/birds.yaml'],
    ],
  );
  const several = await diff('one.yaml', 'new');
  assert.equal(several.code, 2);
  assert.match(
    several.stderr,
    /one\.yaml is one document, and new has 2\. Name one of its documents/,
  );
});

test('a file that is missing is told, on either side, and the rest is compared', async (t) => {
  const parts = OLD.replace('{ type: string }', '{ $ref: parts/name.yaml }');
  const diff = await setUp(t, {
    'old.yaml': parts,
    'new/openapi.yaml': parts.replace(/ {4}delete[\s\S]*$/, ''),
  });
  const { stdout, stderr, code } = await diff('old.yaml', 'new');
  assert.equal(code, 0);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^old\.yaml:15: warning: There is no file `parts\/name\.yaml`/);
  assert.match(
    lines[1] ?? '',
    /^new\/openapi\.yaml:15: warning: There is no file `parts\/name\.yaml`/,
  );
  assert.match(stdout, /^Breaking \(1\)\n {2}DELETE \/pets: `DELETE \/pets` was removed\.\n/);
});

test('Swagger 2.0 and the same in OpenAPI 3 are one, and places are those of the file', async (t) => {
  const swagger = (type: string) => `swagger: '2.0'
info: { title: Pets, version: '1' }
host: api.example.com
schemes: [https]
produces: [application/json]
consumes: [application/json]
paths:
  /pets:
    post:
      parameters:
        - { name: body, in: body, required: true, schema: { $ref: '#/definitions/Pet' } }
      responses:
        '200': { description: The pet, schema: { $ref: '#/definitions/Pet' } }
definitions:
  Pet:
    type: object
    properties:
      name: { type: ${type} }
`;
  const openapi = `openapi: 3.0.3
info: { title: Pets, version: '1' }
servers: [{ url: 'https://api.example.com' }]
paths:
  /pets:
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Animal' } } }
      responses:
        '200':
          description: The pet
          content: { application/json: { schema: { $ref: '#/components/schemas/Animal' } } }
components:
  schemas:
    Animal: { type: object, properties: { name: { type: string } } }
`;
  const diff = await setUp(t, {
    'two.yaml': swagger('string'),
    'other.yaml': swagger('integer'),
    'three.yaml': openapi,
  });
  assert.equal((await diff('two.yaml', 'three.yaml')).stdout, 'No changes\n');
  assert.equal((await diff('three.yaml', 'two.yaml')).stdout, 'No changes\n');
  const { stdout } = await diff('two.yaml', 'other.yaml', '--format', 'json');
  const [change] = (JSON.parse(stdout) as ChangeList).changes;
  assert.deepEqual(change?.new, {
    file: 'other.yaml',
    line: 18,
    pointer: '/definitions/Pet/properties/name/type',
    value: 'integer',
  });
});

test('what cannot be read ends with 2, and says where and what to do', async (t) => {
  const diff = await setUp(t, {
    'old.yaml': OLD,
    'broken.yaml': OLD.replace('paths:', 'paths: ]'),
    'none.yaml': 'title: Pets\n',
    'later.yaml': 'openapi: 4.0.0\npaths: {}\n',
    'empty/readme.txt': '',
    'two/a.yaml': OLD,
    'two/b.yaml': OLD,
    'config/docs.yaml':
      'title: Pets\nchanges: { exceptions: [{ code: operation-remove, reason: a, until: 2026-12-31 }] }\n',
  });
  const refused = async (wanted: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await diff(...args);
    assert.match(stderr, wanted);
    assert.deepEqual([code, stdout], [2, '']);
  };
  await refused(/^dashboard: broken\.yaml:3: /, 'old.yaml', 'broken.yaml', '--fail-on', 'breaking');
  await refused(
    /^dashboard: none\.yaml:1: The document doesn't say its version/,
    'none.yaml',
    'old.yaml',
  );
  await refused(/^dashboard: later\.yaml:1: `openapi` is 4\.0\.0/, 'old.yaml', 'later.yaml');
  await refused(
    /^dashboard: nothing\.yaml cannot be read: there is no such file/,
    'nothing.yaml',
    'old.yaml',
  );
  await refused(/^dashboard: empty has no OpenAPI document/, 'empty', 'old.yaml');
  await refused(/^dashboard: two has 2 OpenAPI documents.*`openapi: a\.yaml`/, 'old.yaml', 'two');
  await refused(
    /^dashboard: config\/docs\.yaml:2: There is no change with the code `operation-remove`: did you mean `operation-removed`/,
    'old.yaml',
    'config',
  );
  await refused(
    /^dashboard: http:\/\/127\.0\.0\.1:9\/\.well-known\/api-catalog cannot be read/,
    'http://127.0.0.1:9',
    'old.yaml',
  );
  await refused(
    /'--fail-on <verdict>' argument 'never' is invalid/,
    'old.yaml',
    'old.yaml',
    '--fail-on',
    'never',
  );
  await refused(/The new version is missing/, 'old.yaml');
  await refused(/--against live needs the project/, 'old.yaml', '--against', 'live');
  await refused(/--project goes with --against/, 'old.yaml', 'old.yaml', '--project', 'pets');
  const live = ['--against', 'live', '--project', 'pets'];
  await refused(/give the new one alone/, 'old.yaml', 'old.yaml', ...live);
  await refused(/DASHBOARD_TOKEN must be an API token/, 'old.yaml', ...live);
});

test('a document is compared with what is live of a project, and with the address of any deploy', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const { token } = await makeToken(root, 'pets');
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'new.yaml'), NEW);
  const env = { DASHBOARD_URL: service.origin, DASHBOARD_TOKEN: token };
  const diff = (...args: string[]) => dashboard(folder, ['diff', ...args], env);
  const live = ['--against', 'live', '--project', 'pets'];
  const nothing = await diff('new.yaml', ...live);
  assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
  assert.match(nothing.stderr, /Nothing of the project pets is live/);

  const first = await deploy(root, 'pets', OLD);
  const found = await diff('new.yaml', ...live, '--format', 'json', '--fail-on', 'breaking');
  assert.equal(found.code, 1, found.stderr);
  const { summary, changes } = JSON.parse(found.stdout) as ChangeList;
  assert.equal(summary.breaking, 2);
  assert.equal(changes[0]?.old?.file, `${first.url}/openapi.json`);

  // What an owner allows in the dashboard counts here as well.
  const exception = { operation: 'GET /pets', reason: 'Agreed.', until: '2999-12-31' };
  await json(await root.call('POST', '/api/projects/pets/change-exceptions', exception), 201);
  const allowed = await diff('new.yaml', ...live, '--format', 'json', '--fail-on', 'breaking');
  const rest = (JSON.parse(allowed.stdout) as ChangeList).changes;
  assert.deepEqual(
    rest.filter(({ verdict }) => verdict === 'breaking').map(({ operation }) => operation),
    changes
      .filter(({ verdict, operation }) => verdict === 'breaking' && operation !== 'GET /pets')
      .map(({ operation }) => operation),
  );
  assert.ok(rest.some(({ allowed: by }) => by?.reason === 'Agreed.'));

  await deploy(root, 'pets', NEW);
  const same = await diff('new.yaml', ...live);
  assert.deepEqual([same.code, same.stdout], [0, 'No changes\n']);
  const deploys = await diff(`${first.url}/`, url);
  assert.equal(deploys.code, 0, deploys.stderr);
  assert.match(deploys.stdout, /^Breaking \(2\)/);
  const elsewhere = await diff(service.origin, 'new.yaml');
  assert.equal(elsewhere.code, 2);
  assert.match(elsewhere.stderr, /has no list of APIs at \/\.well-known\/api-catalog/);

  await deployFiles(
    root,
    'pets',
    {
      'docs.yaml': 'title: Shop\nreferences: [{ openapi: pets.yaml }, { openapi: shops.yaml }]\n',
      'index.md': '# Shop\n',
      'pets.yaml': OLD,
      'shops.yaml': OLD,
    },
    '?version=v2',
  );
  await mkdir(join(folder, 'shop'));
  await writeFile(
    join(folder, 'shop', 'docs.yaml'),
    'title: Shop\nreferences: [{ openapi: pets.yaml }]\n',
  );
  await writeFile(join(folder, 'shop', 'pets.yaml'), NEW);
  const several = await diff(`${url}/v2`, 'shop', '--format', 'json');
  assert.equal(several.code, 0, several.stderr);
  // Two of the document that is left, and the two operations of the one that is gone.
  assert.equal((JSON.parse(several.stdout) as ChangeList).summary.breaking, 4);
});

test('each format is what its reader takes', async (t) => {
  // Text of a stranger's document stands in all of them.
  const odd = (path: string) => OLD.replace('/pets', JSON.stringify(`/${path}`));
  const path = 'a|b<i>`x`@team %0A::error::';
  const diff = await setUp(t, {
    'old.yaml': odd(path),
    'new.yaml': odd('b'),
    'same.yaml': odd(path),
  });
  const print = async (format: string, ...args: string[]) =>
    (await diff('old.yaml', 'new.yaml', '--format', format, ...args)).stdout;

  const github = await print('github');
  const lines = github.trimEnd().split('\n');
  assert.equal(lines.length, 3);
  for (const line of lines.slice(0, 2))
    assert.match(line, /^::error file=old\.yaml,line=\d+,title=operation-removed::/);
  assert.match(github, /%250A::error/);
  assert.match(lines[2] ?? '', /^::notice title=API changes::2 breaking, 2 compatible$/);

  const gitlab = JSON.parse(await print('gitlab')) as {
    fingerprint: string;
    severity: string;
    location: object;
  }[];
  assert.equal(new Set(gitlab.map(({ fingerprint }) => fingerprint)).size, 4);
  assert.deepEqual(gitlab[0]?.location, { path: 'old.yaml', lines: { begin: 5 } });
  assert.equal(gitlab[0]?.severity, 'critical');

  const sarif = JSON.parse(await print('sarif'));
  assert.equal(sarif.version, '2.1.0');
  const [run] = sarif.runs;
  assert.deepEqual(
    run.results.map(({ level, ruleIndex }: { level: string; ruleIndex: number }) => [
      level,
      run.tool.driver.rules[ruleIndex].id,
    ]),
    [
      ['error', 'operation-removed'],
      ['error', 'operation-removed'],
      ['note', 'operation-added'],
      ['note', 'operation-added'],
    ],
  );

  const junit = await print('junit', '--fail-on', 'breaking');
  assert.match(junit, /<testsuites name="API changes" tests="4" failures="2" errors="0">/);
  assert.match(junit, /a\|b&lt;i&gt;/);
  assert.match(
    (await diff('old.yaml', 'same.yaml', '--format', 'junit')).stdout,
    /tests="1" failures="0"/,
  );

  const markdown = await print('markdown');
  assert.match(
    markdown,
    /^\*\*API changes:\*\* 2 breaking, 2 compatible\.\n\n### Breaking \(2\)\n\n\| Operation \|/,
  );
  const [row = ''] = markdown.split('\n').filter((line) => line.includes('@team'));
  // Three cells, in which nothing is HTML or mentions anybody.
  assert.equal(row.split(/(?<!\\)\|/).length, 5);
  assert.doesNotMatch(row.replace(/`[^`]*`/g, ''), /<i>|@team/);
});
