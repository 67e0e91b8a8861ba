import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { getFromEdge } from '../support/dashboard-program.ts';
import { createProject, documentTitled, makeToken } from '../support/project.ts';
import { startService } from '../support/service.ts';
import { serveJson } from './support/comment-host.ts';
import { CI, cannotRun } from './support/tools.ts';

async function setUp(t: TestContext) {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  const { token } = await makeToken(owner, 'pets');
  const folder = await temporaryFolder(t);
  const base = { DASHBOARD_URL: `${service.origin}/`, DASHBOARD_PROJECT: 'pets' };
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runProgram('bash', [join(CI, 'dashboard.sh'), ...args], folder, {
      ...base,
      DASHBOARD_TOKEN: token,
      ...env,
    });
  return { service, folder, run };
}

type Printed = Deploy & { readonly address: string; readonly page: string };

test('dashboard.sh deploys a file, a folder without what is hidden, and previews, by curl alone', {
  skip: cannotRun,
}, async (t) => {
  const { service, folder, run } = await setUp(t);
  await writeFile(join(folder, 'openapi.json'), documentTitled('Pets one'));
  const live = await run(['deploy', 'openapi.json']);
  assert.equal(live.code, 0, live.stderr);
  const made = JSON.parse(live.stdout) as Printed;
  assert.equal(made.address, service.addresses.site('pets'));
  assert.equal(made.page, `${service.origin}/projects/pets/deploys/${made.id}`);
  assert.match((await getFromEdge(service.edgePort, 'pets.docs.localhost')).text, /Pets one/);

  const docs = join(folder, 'my docs');
  await mkdir(join(docs, '.git'), { recursive: true });
  await mkdir(join(docs, 'node_modules/a'), { recursive: true });
  await writeFile(join(docs, 'docs.yaml'), 'title: Guide\n');
  await writeFile(join(docs, "it's here.md"), '# Here\n');
  for (const hidden of ['.git/config', '.env', 'node_modules/a/readme.md'])
    await writeFile(join(docs, hidden), '# hidden\n');
  const preview = await run(['deploy', 'my docs'], { DASHBOARD_BRANCH: 'feature/ü' });
  assert.equal(preview.code, 0, preview.stderr);
  const shown = JSON.parse(preview.stdout) as Printed;
  assert.equal(shown.branch, 'feature/ü');
  const { hostname } = new URL(shown.address);
  const { text } = await getFromEdge(service.edgePort, hostname, '/sitemap.xml');
  assert.doesNotMatch(text, /hidden|readme/);
  assert.match((await getFromEdge(service.edgePort, hostname, '/llms.txt')).text, /Here/);
  assert.match((await getFromEdge(service.edgePort, 'pets.docs.localhost')).text, /Pets one/);

  assert.equal((await run(['end', 'feature/ü'])).code, 0);
  assert.equal((await getFromEdge(service.edgePort, hostname, '/llms.txt')).status, 404);
  assert.equal((await run(['end', 'feature/ü'])).code, 0);
});

test('dashboard.sh exits with 1 for a deploy that failed, with 2 for what was not deployed, and says why', {
  skip: cannotRun,
}, async (t) => {
  const { folder, run } = await setUp(t);
  await writeFile(join(folder, 'broken.yaml'), 'openapi: [\n');
  await writeFile(
    join(folder, 'warned.json'),
    JSON.stringify({ ...JSON.parse(documentTitled('P')), x: 1 }),
  );
  const failed = await run(['deploy', 'broken.yaml']);
  assert.equal(failed.code, 1);
  assert.equal((JSON.parse(failed.stdout) as Printed).state, 'failed');
  assert.match(failed.stderr, /error: /);
  assert.equal((await run(['deploy', 'warned.json'])).code, 0);
  assert.equal((await run(['deploy', 'warned.json'], { DASHBOARD_STRICT: 'true' })).code, 1);

  await mkdir(join(folder, 'linked'));
  await writeFile(join(folder, 'linked/docs.yaml'), 'title: Guide\n');
  await writeFile(join(folder, 'linked/start.md'), '# Start\n');
  await symlink('/etc/passwd', join(folder, 'linked/users.md'));
  const linked = await run(['deploy', 'linked']);
  assert.equal(linked.code, 1, linked.stderr);
  assert.match(linked.stderr, /users\.md/);

  const page = await serveJson(t, () => ({ status: 200, body: 'a page' }));
  const moved = await serveJson(t, () => ({ status: 302, body: '', headers: { location: page } }));
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['deploy', 'absent.yaml'], {}, /no file or folder absent\.yaml/],
    [['deploy'], {}, /usage: /],
    [['deploy', 'broken.yaml', 'more'], {}, /usage: /],
    [['deploy', 'broken.yaml'], { DASHBOARD_TOKEN: 'x\nHost: evil' }, /DASHBOARD_TOKEN must be/],
    [['deploy', 'broken.yaml'], { DASHBOARD_URL: 'ftp://x' }, /DASHBOARD_URL must be/],
    [['deploy', 'broken.yaml'], { DASHBOARD_PROJECT: 'a/b' }, /must be a project's slug/],
    [['deploy', 'broken.yaml'], { DASHBOARD_PROJECT: 'absent' }, /[Nn]o .*project|not found/],
    [['deploy', 'broken.yaml'], { DASHBOARD_URL: page }, /not as a dashboard does/],
    [['deploy', 'broken.yaml'], { DASHBOARD_URL: moved }, /responded with 302/],
    [['deploy', 'broken.yaml'], { DASHBOARD_URL: 'http://127.0.0.1:1' }, /cannot be reached/],
    [['deploy', 'broken.yaml'], { DASHBOARD_BRANCH: '..' }, /branch must not be/],
    [['end', 'feature'], { DASHBOARD_PROJECT: 'absent' }, /project|not found/],
  ];
  for (const [args, env, message] of cases) {
    const { code, stdout, stderr } = await run(args, env);
    assert.deepEqual([code, stdout], [2, ''], `${args} ${JSON.stringify(env)}: ${stderr}`);
    assert.match(stderr, message);
  }
});
