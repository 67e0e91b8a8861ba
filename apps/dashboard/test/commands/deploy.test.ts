import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, cp, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { CreatedToken } from '../../server/src/accounts/account.ts';
import { DashboardClient } from '../../server/src/commands/deploy/dashboard-client.ts';
import type { BranchPreview } from '../../server/src/deploys/branch-preview.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { SiteVersion } from '../../server/src/deploys/versions/site-version.ts';
import { dashboard, getFromEdge } from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';
import { json, PASSWORD, type Service, startService } from '../support/service.ts';

const PARCELS = fileURLToPath(new URL('../deploys/guides/fixtures/parcels', import.meta.url));

interface Setting {
  readonly service: Service;
  readonly folder: string;
  readonly env: Record<string, string>;
  /** `dashboard deploy --project pets …` in the folder. */
  deploy(...args: string[]): ReturnType<typeof dashboard>;
}

async function setUp(t: TestContext): Promise<Setting> {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
  const { token } = await json<CreatedToken>(
    await owner.call('POST', '/api/projects/pets/tokens', { name: 'deploys' }),
    201,
  );
  const folder = await temporaryFolder(t);
  const env = { DASHBOARD_URL: service.origin, DASHBOARD_TOKEN: token };
  const deploy = (...args: string[]) =>
    dashboard(folder, ['deploy', '--project', 'pets', ...args], env);
  return { service, folder, env, deploy };
}

test('dashboard deploy puts a document online and says where', async (t) => {
  const { service, folder, deploy } = await setUp(t);
  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets one', 2));
  const first = await deploy('openapi.json');
  assert.equal(first.code, 0, first.stderr);
  assert.equal(first.stdout, `Live: ${service.addresses.site('pets')}\n`);
  assert.match(first.stderr, /Uploading openapi\.json.*\n {2}Received[\s\S]*Succeeded, and live\./);
  const page = await getFromEdge(service.edgePort, 'pets.docs.localhost');
  assert.match(page.text, /Pets one/);

  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets two', 2));
  const second = await deploy('--no-activate', '--json', 'openapi.json');
  assert.equal(second.code, 0, second.stderr);
  assert.equal(second.stderr, '');
  const made = JSON.parse(second.stdout) as Deploy;
  assert.deepEqual([made.state, made.live, made.number], ['succeeded', false, 2]);
  assert.match((await getFromEdge(service.edgePort, 'pets.docs.localhost')).text, /Pets one/);
  assert.match((await getFromEdge(service.edgePort, new URL(made.url).hostname)).text, /Pets two/);
});

test('dashboard deploy tells what breaks, ends with 3 where it is held back, and takes a reason', async (t) => {
  const { service, folder, deploy } = await setUp(t);
  const document = (paths: readonly string[]) =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      paths: Object.fromEntries(
        paths.map((path) => [path, { get: { responses: { 200: { description: 'Done.' } } } }]),
      ),
    });
  const write = (...paths: string[]) => writeFile(join(folder, 'openapi.json'), document(paths));
  await write('/pets', '/owners');
  await deploy('openapi.json');
  await write('/pets', '/shops');
  const broken = await deploy('openapi.json');
  assert.equal(broken.code, 0, broken.stderr);
  assert.match(broken.stderr, /which is live: 1 breaking and 1 compatible change\.\n/);
  assert.match(
    broken.stderr,
    /\nBreaking \(1\)\n {2}GET \/owners: `GET \/owners` was removed\.\n {4}openapi\.json:\d+, gone \[operation-removed\]\n\n1 breaking\n/,
  );
  assert.doesNotMatch(broken.stderr, /GET \/shops/);

  await service.db.updateTable('projects').set({ hold_breaking: 1 }).execute();
  await write('/shops');
  const held = await deploy('openapi.json');
  assert.equal(held.code, 3, held.stderr);
  assert.match(held.stdout, /^Held back\. Preview: http:\S+\n$/);
  assert.match(held.stderr, /Succeeded, and held back\. It has 1 breaking change/);
  const json = await deploy('--json', 'openapi.json');
  assert.equal(json.code, 3);
  assert.equal((JSON.parse(json.stdout) as Deploy).held?.reason, 'breaking');

  const allowed = await deploy('--allow-breaking', 'Nobody calls it.', 'openapi.json');
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.equal(allowed.stdout, `Live: ${service.addresses.site('pets')}\n`);
});

test('dashboard access shows who may read, and changes it', async (t) => {
  const { folder, env, service } = await setUp(t);
  await service.db.updateTable('api_tokens').set({ scopes: 'read projects' }).execute();
  const access = (...args: string[]) =>
    dashboard(folder, ['access', '--project', 'pets', ...args], env, 'a shared password\n');
  const lines = (one: string, password: string, accounts = 'members of the project') =>
    new RegExp(
      `^Private: +${one}\nAccounts: +${accounts}\nPassword: +${password}\nKeys: +none\nSessions: +0\n$`,
    );
  assert.match((await access()).stdout, lines('nothing', 'none'));
  const closed = await access('--private', 'everything', '--password-stdin');
  assert.match(closed.stdout, lines('everything', 'set \\S+'), closed.stderr);
  const opened = await access('--accounts', 'everyone', '--no-password');
  assert.match(opened.stdout, lines('everything', 'none', 'everyone with an account'));
  const [row] = await service.db.selectFrom('site_access').selectAll().execute();
  assert.deepEqual([row?.everyone, row?.password_hash], [1, null]);

  const { id: project_id } = await service.db
    .selectFrom('projects')
    .select('id')
    .executeTakeFirstOrThrow();
  await service.db
    .insertInto('site_sessions')
    .values({
      ...{ token_hash: 'x', project_id, host: 'pets.docs.localhost', password_id: null },
      ...{ session_id: null, key_id: null, created_at: 0, expires_at: Number.MAX_SAFE_INTEGER },
    })
    .execute();
  assert.match((await access()).stdout, /\nSessions: +1\n$/);
  assert.match((await access('--sign-everyone-out')).stdout, /\nSessions: +0\n$/);
  const odd = await access('--private', 'some');
  assert.equal(odd.code, 1);
  assert.match(odd.stderr, /Allowed choices are nothing, previews, everything/);
});

test('dashboard deploy --branch prints the address of the branch, which previews lists and deletes', async (t) => {
  const { service, folder, env, deploy } = await setUp(t);
  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets of a branch', 2));
  const previews = (...args: string[]) =>
    dashboard(folder, ['previews', ...args, '--project', 'pets'], env);
  assert.equal((await previews('list')).stdout, 'No previews of branches.\n');

  const said = ['--message', 'Pets of a branch'];
  const { code, stdout, stderr } = await deploy('--branch', 'feature/x', ...said, 'openapi.json');
  assert.equal(code, 0, stderr);
  const [, url = ''] = /^Preview of feature\/x: (http:\S+)\n$/.exec(stdout) ?? [];
  const { hostname } = new URL(url);
  assert.match((await getFromEdge(service.edgePort, hostname)).text, /Pets of a branch/);
  assert.equal((await getFromEdge(service.edgePort, 'pets.docs.localhost')).status, 404);
  assert.match(stderr, /Succeeded, and shown at the address of the branch feature\/x\./);

  const listed = await previews('list');
  assert.match(listed.stdout, /^\d{4}-\S+Z {2}http:\S+ {2}feature\/x\n$/);
  assert.ok(listed.stdout.includes(url));
  const [first] = JSON.parse((await previews('list', '--json')).stdout) as BranchPreview[];
  assert.deepEqual([first?.branch, first?.url, first?.deploy?.number], ['feature/x', url, 1]);
  const { message } = await service.db
    .selectFrom('deploys')
    .select('message')
    .executeTakeFirstOrThrow();
  assert.equal(message, 'Pets of a branch');

  const deleted = await previews('delete', 'feature/x');
  assert.equal(deleted.stdout, 'Ended the preview of feature/x.\n');
  assert.equal((await getFromEdge(service.edgePort, hostname)).status, 404);
  const again = await previews('delete', 'feature/x');
  assert.equal(again.code, 1);
  assert.match(again.stderr, /There is no such preview of a branch/);
  const parent = await previews('delete', '..');
  assert.equal(parent.code, 1);
  assert.match(parent.stderr, /branch must not be \.\./);
  const tooLong = await deploy('--branch', 'x'.repeat(101), 'openapi.json');
  assert.equal(tooLong.code, 1);
  assert.match(tooLong.stderr, /branch must be 1 to 100 characters long/);
});

test('dashboard deploy --version prints the address of the version, which versions lists, chooses and retires', async (t) => {
  const { service, folder, env, deploy } = await setUp(t);
  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets', 2));
  const versions = (...args: string[]) =>
    dashboard(folder, ['versions', ...args, '--project', 'pets'], env);
  assert.equal((await versions('list')).stdout, 'No versions.\n');
  const site = service.addresses.site('pets');

  const first = await deploy('--version', 'v1', 'openapi.json');
  assert.equal(first.code, 0, first.stderr);
  assert.equal(first.stdout, `Live: ${site}/v1\n`);
  assert.match(first.stderr, /Succeeded, and live as the version v1\./);
  const second = await deploy('--version', 'v2.0', '--json', 'openapi.json');
  assert.equal((JSON.parse(second.stdout) as Deploy).version, 'v2.0');
  assert.equal((await versions('default', 'v2.0')).stdout, 'v2.0 is the default version.\n');
  assert.equal(
    (await versions('list')).stdout,
    `v2.0  default  ${site}/v2.0\nv1    old      ${site}/v1\n`,
  );
  const hidden = await deploy('openapi.json');
  assert.match(hidden.stdout, /^Not live\. Preview: http/);
  assert.match((await versions('default', '--unversioned')).stdout, /shows what is deployed/);
  assert.equal((await deploy('openapi.json')).stdout, `Live: ${site}\n`);

  assert.equal((await versions('retire', 'v1')).stdout, 'Retired v1.\n');
  const { items } = JSON.parse(`{"items":${(await versions('list', '--json')).stdout}}`);
  assert.deepEqual(
    (items as SiteVersion[]).map(({ version, state }) => [version, state]),
    [
      ['v2.0', 'old'],
      ['v1', 'retired'],
    ],
  );
  for (const [args, says] of [
    [['default'], /Name one version, or --unversioned/],
    [['default', 'v1'], /The version v1 is retired/],
    [['retire', 'v9'], /There is no such version/],
    [['retire', '../x'], /version must be 1 to 40 of a-z/],
  ] as const) {
    const refused = await versions(...args);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, says);
  }
  const wrong = await deploy('--version', 'V 2', 'openapi.json');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /version must be 1 to 40 of a-z/);
  const both = await deploy('--version', 'v3', '--branch', 'x', 'openapi.json');
  assert.equal(both.code, 1);
  assert.match(both.stderr, /branch and version exclude each other/);
});

test('dashboard deploy of a broken document ends with 1 and names file, line and place', async (t) => {
  const { folder, deploy } = await setUp(t);
  await writeFile(
    join(folder, 'broken.yaml'),
    'openapi: 3.1.0\ninfo:\n  title: Pets\n  version: 1.0\npath: {}\n',
  );
  const { code, stdout, stderr } = await deploy('broken.yaml');
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^broken\.yaml:4: .*version.*\(\/info\/version\)$/m);
});

test('dashboard deploy tells warnings with file, line and rule, and with --strict fails for them', async (t) => {
  const { folder, deploy } = await setUp(t);
  await writeFile(
    join(folder, 'odd.yaml'),
    'openapi: 3.1.0\ninfo:\n  title: Pets\n  version: 1.0\npaths: {}\n',
  );
  const told = /^odd\.yaml:4: warning: .*version.*\[structure\] \(\/info\/version\)$/gm;
  const loose = await deploy('odd.yaml');
  assert.equal(loose.code, 0);
  assert.match(loose.stdout, /^Live: /);
  assert.equal(loose.stderr.match(told)?.length, 1);
  const strict = await deploy('odd.yaml', '--strict');
  assert.equal(strict.code, 1);
  assert.equal(strict.stdout, '');
  assert.equal(strict.stderr.match(told)?.length, 1);
  assert.match(strict.stderr, /Warnings make this deploy fail/);
});

test('dashboard deploy takes along the files that a document refers to, and no other', async (t) => {
  const { service, folder, deploy } = await setUp(t);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await write(
    'apis/pets/openapi.yaml',
    `openapi: 3.1.0
info: {title: Pets, version: "1", description: {$ref: about.md}}
paths:
  /pets: {$ref: paths/pets.yaml}
  /toys: {$ref: paths/gone.yaml}
`,
  );
  await write('apis/pets/about.md', 'All about *pets*.');
  await write(
    'apis/pets/paths/pets.yaml',
    `get:
  operationId: listPets
  summary: List pets
  responses:
    "200": {description: Pets., content: {application/json: {schema: {$ref: ../../../shared/Pet.yaml}}}}
`,
  );
  await write(
    'shared/Pet.yaml',
    'type: object\nproperties:\n  owner: {$ref: owner.yaml}\n  key: {$ref: .secret/key.yaml}\n  link: {$ref: link.yaml}\n  run: {$ref: run.sh}\n',
  );
  await write('shared/owner.yaml', 'type: strin\n');
  await write('shared/.secret/key.yaml', 'title: SECRET-KEY\n');
  await write('shared/run.sh', 'title: SECRET-SCRIPT\n');
  await write('shared/unused.yaml', 'title: UNUSED\n');
  await write('secret.yaml', 'title: SECRET-LINK\n');
  await symlink('../secret.yaml', join(folder, 'shared/link.yaml'));

  const { code, stdout, stderr } = await deploy('apis/pets/openapi.yaml');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Live: /);
  assert.match(
    stderr,
    /^Taking along 4 files that it refers to \(.*\): apis\/pets\/about\.md, apis\/pets\/paths\/pets\.yaml, shared\/Pet\.yaml, shared\/owner\.yaml$/m,
  );
  assert.match(
    stderr,
    /key\.yaml is not sent: its name, or that of its folder, begins with a dot\.$/m,
  );
  assert.match(stderr, /link\.yaml is not sent: it is a link/);
  assert.match(stderr, /run\.sh is not sent: only YAML/);
  assert.match(
    stderr,
    /^apis\/pets\/openapi\.yaml:5: warning: There is no file `paths\/gone\.yaml`.*\[missing-reference\]/m,
  );
  assert.match(stderr, /^shared\/owner\.yaml:1: warning: .*`strin`.*\[structure\]/m);
  const get = async (path: string) =>
    (await getFromEdge(service.edgePort, 'pets.docs.localhost', path)).text;
  assert.match(await get('/'), /All about <em>pets<\/em>/);
  const published = await get('/openapi.json');
  assert.doesNotMatch(published, /SECRET|UNUSED/);
  const { components } = JSON.parse(published);
  assert.deepEqual(Object.keys(components.schemas), ['Pet', 'owner']);
  assert.match(await get('/reference/models/Pet'), /Pet/);
});

test('dashboard deploy takes no file along from outside of where it runs', async (t) => {
  const { service, folder, deploy } = await setUp(t);
  const elsewhere = await temporaryFolder(t);
  await writeFile(join(elsewhere, 'private.yaml'), 'title: PRIVATE\n');
  const path = relative(folder, join(elsewhere, 'private.yaml'));
  await writeFile(
    join(folder, 'openapi.yaml'),
    `openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {}\ncomponents:\n  schemas:\n    Pet: {$ref: ${path}}\n    Toy: {type: object}\n`,
  );
  const { code, stderr } = await deploy('openapi.yaml');
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /private\.yaml is not sent: it is outside the folder of the document and its Git/,
  );
  const published = await getFromEdge(service.edgePort, 'pets.docs.localhost', '/openapi.json');
  assert.doesNotMatch(published.text, /PRIVATE/);
});

test('dashboard deploy says what is missing of a document whose files are not there', async (t) => {
  const { folder, deploy } = await setUp(t);
  const document =
    'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {}\ncomponents:\n  schemas:\n    Pet: {$ref: pet.yaml}\n';
  await writeFile(join(folder, 'openapi.yaml'), document);
  const { code, stderr } = await deploy('openapi.yaml');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^openapi\.yaml:6: warning: There is no file `pet\.yaml`/m);
  const strict = await deploy('--strict', 'openapi.yaml');
  assert.equal(strict.code, 1);
  assert.match(strict.stderr, /^openapi\.yaml:6: warning: There is no file `pet\.yaml`/m);
});

test('dashboard deploy of a folder puts its guides and its reference online', async (t) => {
  const { service, folder, deploy } = await setUp(t);
  await cp(PARCELS, join(folder, 'docs'), { recursive: true });
  await mkdir(join(folder, 'docs/node_modules'), { recursive: true });
  await writeFile(join(folder, 'docs/.env'), 'SECRET=1');
  const { code, stderr } = await deploy('docs');
  assert.equal(code, 0, stderr);
  const get = (path: string) => getFromEdge(service.edgePort, 'pets.docs.localhost', path);
  assert.match((await get('/')).text, /Send your first parcel/);
  assert.match((await get('/reference/parcels/createParcel')).text, /Books the carrier/);
  assert.equal((await get('/openapi.json')).status, 200);
  assert.equal((await get('/.env')).status, 404, 'hidden files stay where they are');

  await writeFile(join(folder, 'docs/guides/broken.md'), '# Broken\n\n[gone](nowhere.md)\n');
  const broken = await deploy('docs');
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /^guides\/broken\.md:3: .*nowhere\.md/m);
  assert.match((await get('/')).text, /Send your first parcel/, 'what was live stays');
});

test('dashboard deploy says what is wrong before anything is uploaded', async (t) => {
  const { folder, env, deploy } = await setUp(t);
  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets', 2));
  await mkdir(join(folder, 'linked'));
  await symlink('/etc/passwd', join(folder, 'linked/docs.yaml'));
  await mkdir(join(folder, 'named'));
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'named/')), Buffer.of(0xff)]), '');
  await mkdir(join(folder, 'huge'));
  for (const name of ['huge/docs.yaml', 'huge.json']) {
    await writeFile(join(folder, name), '');
    await truncate(join(folder, name), 3_000_000_000);
  }
  const run = (file: string, changed: Record<string, string>, project = 'pets') =>
    dashboard(folder, ['deploy', '--project', project, file], { ...env, ...changed });

  const cases = [
    [await deploy('missing.json'), /missing\.json cannot be read: there is no such file/],
    [await deploy('linked'), /linked\/docs\.yaml is a link/],
    [await deploy('named'), /has a name that is not UTF-8/],
    [
      await deploy('huge'),
      /huge has more than the 200\.0 MB that the dashboard takes \(DASHBOARD_MAX_UNPACKED_BYTES\)/,
    ],
    [
      await deploy('huge.json'),
      /huge\.json has 3\.0 GB, more than the 50\.0 MB that the dashboard takes/,
    ],
    [await deploy('/dev/zero'), /\/dev\/zero is neither a regular file/],
    // Read like this, it is an error for everyone.
    [await deploy('/proc/self/mem'), /\/proc\/self\/mem cannot be read: EIO/],
    [
      await run('openapi.json', { DASHBOARD_TOKEN: 'dash_ключ' }),
      /DASHBOARD_TOKEN is not an API token/,
    ],
    [await run('openapi.json', { DASHBOARD_TOKEN: '' }), /DASHBOARD_TOKEN must be an API token/],
    [await run('openapi.json', { DASHBOARD_TOKEN: 'dash_x' }), /token is not valid/],
    [await run('openapi.json', { DASHBOARD_URL: 'nonsense' }), /DASHBOARD_URL must be the address/],
    // Nothing listens so low, and port 1 is among those that fetch refuses itself.
    [
      await run('openapi.json', { DASHBOARD_URL: 'http://127.0.0.1:2' }),
      /cannot be reached \(ECONNREFUSED\)/,
    ],
    [await run('openapi.json', {}, 'others'), /has no project others that this token may see/],
  ] as const;
  for (const [{ code, stdout, stderr }, sentence] of cases) {
    assert.equal(code, 1, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, sentence);
    assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
  }
});

test('every command that names a project by an earlier slug is told the one of now', async (t) => {
  const { service, folder, env } = await setUp(t);
  const owner = service.visitor();
  const credentials = { email: 'owner@example.com', password: PASSWORD };
  await json(await owner.call('POST', '/api/session', credentials));
  await json(await owner.call('PATCH', '/api/projects/pets', { slug: 'zoo' }));
  await service.db.updateTable('api_tokens').set({ scopes: 'read deploy projects' }).execute();
  await writeFile(join(folder, 'openapi.json'), titledDocument('Pets', 2));
  const commands = [
    ['deploy', 'openapi.json'],
    ['previews', 'list'],
    ['previews', 'delete', 'main'],
    ['versions', 'list'],
    ['versions', 'default', 'v1'],
    ['versions', 'default', '--unversioned'],
    ['versions', 'retire', 'v1'],
    ['access'],
    ['access', '--private', 'everything'],
    ['diff', '--against', 'live', 'openapi.json'],
  ];
  for (const [what, ...args] of commands) {
    const { code, stderr } = await dashboard(
      folder,
      [what as string, ...args, '--project', 'pets'],
      env,
    );
    assert.match(stderr, /There is no project pets any more: it is zoo now\./, `${what} ${args}`);
    assert.doesNotMatch(stderr, /DASHBOARD_URL/);
    assert.equal(code, what === 'diff' ? 2 : 1);
  }
});

test('dashboard deploy names the file in a folder that it may not read', {
  skip: process.getuid?.() === 0 && 'nothing is forbidden to root',
}, async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/docs.yaml'), '');
  await chmod(join(folder, 'docs/docs.yaml'), 0);
  const env = { DASHBOARD_TOKEN: 'dash_x' };
  const { code, stderr } = await dashboard(folder, ['deploy', '--project', 'pets', 'docs'], env);
  assert.equal(code, 1);
  assert.match(stderr, /docs\/docs\.yaml cannot be read: this user may not read it\.\n$/);
});

/** Until silence is the end, in milliseconds: where a test is about that, and otherwise. */
const SILENCE_MS = 200;
const PATIENT_MS = 60_000;

/** A client of a server that is no dashboard, which it gives up after so long a silence. */
async function clientOf(
  t: TestContext,
  listener: RequestListener,
  silenceMs = PATIENT_MS,
): Promise<DashboardClient> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const patience = { silenceMs, reconnectWaitsMs: [1, 1] };
  return new DashboardClient(`http://127.0.0.1:${port}`, 'dash_x', patience);
}

const UPLOAD = { kind: 'document', bytes: Buffer.from('{}'), name: 'openapi.json' } as const;

test('an upload to what is not a dashboard ends with a sentence', async (t) => {
  const cases: [RequestListener, RegExp, silenceMs?: number][] = [
    [
      (_, response) => response.end('<!doctype html>'),
      /responded with 200, but not as a dashboard does/,
    ],
    [
      (_, response) => response.writeHead(502).end('<p>'),
      /responded with 502, but not as a dashboard/,
    ],
    [() => {}, /sent nothing for \d+ seconds/, SILENCE_MS],
    [
      (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      /redirects to http:\/\/127\.0\.0\.1:9\/, and redirects are not followed/,
    ],
    [
      (_, response) => {
        const location = 'http://127.0.0.1:9/api/projects/zoo/deploys';
        response.writeHead(308, { location }).end();
      },
      /redirects to http:\/\/127\.0\.0\.1:9\/api\S+, and redirects are not followed/,
    ],
  ];
  for (const [listener, message, silenceMs] of cases) {
    const client = await clientOf(t, listener, silenceMs);
    await assert.rejects(client.queueDeploy('pets', UPLOAD, { activate: true }), {
      name: 'UserError',
      message,
    });
  }
});

test('a log that breaks off is asked for again, some times, and its lines are told once', async (t) => {
  let asked = 0;
  let body = '';
  const client = await clientOf(t, (_, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
  });
  const lines: string[] = [];
  const follow = (from = client) =>
    from.followDeploy('pets', 'dep_1', ({ message }) => lines.push(message));
  await assert.rejects(follow(), { message: /closed the log before the deploy ended/ });
  assert.equal(asked, 3);
  body = 'event: log\ndata: {"seq":1,"message":"Received"}\n\n';
  await assert.rejects(follow(), { message: /closed the log before the deploy ended/ });
  assert.deepEqual(lines, ['Received']);
  const silent: RequestListener = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
  await assert.rejects(follow(await clientOf(t, silent, SILENCE_MS)), {
    message: /sent nothing for/,
  });
  body = 'event: end\ndata: <p>\n\n';
  asked = 0;
  await assert.rejects(follow(), { message: /not as a dashboard does/ });
  assert.equal(asked, 1);
});
