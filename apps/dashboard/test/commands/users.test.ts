import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Outcome } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { addApp, statusOf, withPassword } from '../accounts/support/factors.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { createProject, deploy } from '../support/project.ts';
import { assertError, json, PASSWORD, startService } from '../support/service.ts';

/** `dashboard` on the database of a service that runs, as its operator has it. */
async function operated(t: TestContext) {
  const folder = await temporaryFolder(t);
  const databaseUrl = `sqlite:${join(folder, 'dashboard.db')}`;
  const service = await startService(t, { databaseUrl });
  const run = (args: readonly string[], input = '') =>
    dashboard(folder, args, { DASHBOARD_DATABASE_URL: databaseUrl }, input);
  return { service, run };
}

function assertRefused(outcome: Outcome, message: RegExp): void {
  assert.deepEqual([outcome.code, outcome.stdout], [1, '']);
  assert.match(outcome.stderr, /^dashboard: [^\n]+\n/);
  assert.match(outcome.stderr, message);
}

test('lost factors are removed, and the list shows who has some', async (t) => {
  const { service, run } = await operated(t);
  const root = await service.signUp('root@example.com');
  await addApp(root, Date.now());
  const half = await withPassword(service, 'root@example.com');
  assert.match(
    (await run(['users', 'list'])).stdout,
    /root@example\.com {2}root {2}\(second factor: authenticator app\)\n$/,
  );
  const [listed] = JSON.parse((await run(['users', 'list', '--json'])).stdout);
  assert.deepEqual(listed.secondFactors, ['authenticator_app']);

  const reset = ['users', 'reset-factors', '--email', 'root@example.com'];
  const done = await run(reset);
  assert.match(done.stdout, /^Removed the authenticator app of root@example\.com, and ended/);
  assert.deepEqual([await statusOf(root), await statusOf(half)], [401, 401]);
  // The sign-in that was under way has ended, too: with the password alone one begins again.
  const pending = await half.call('POST', '/api/session/second-factor/code', { code: '123456' });
  await assertError(pending, 401, 'unauthorized');
  await withPassword(service, 'root@example.com', { status: 200 });
  assert.equal((await run(reset)).stdout, 'root@example.com had no second factor.\n');
  assertRefused(await run([...reset.slice(0, -1), 'nobody@example.com']), /has no account/);
});

test('accounts are created, listed and given passwords while the service runs', async (t) => {
  const { service, run } = await operated(t);
  const create = (email: string, password: string, ...more: string[]) =>
    run(['users', 'create', '--email', email, '--password-stdin', ...more], password);
  assert.equal((await run(['users', 'list'])).stdout, 'No accounts yet.\n');
  const first = await create('Root@Example.com', `${PASSWORD}\n`);
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stdout,
    /^Created the account root@example\.com \(usr_[a-z2-7]{16}\); it owns the installation\.\n$/,
  );
  const second = await create('ann@example.com', PASSWORD, '--name', 'Ann');
  assert.match(second.stdout, /it can sign in\.\n$/);
  const ann = service.visitor();
  const credentials = { email: 'ann@example.com', password: PASSWORD };
  await json(await ann.call('POST', '/api/session', credentials));

  const listed = JSON.parse((await run(['users', 'list', '--json'])).stdout);
  assert.deepEqual(
    listed.map(({ email, name, role }: Record<string, string>) => [email, name, role]),
    [
      ['root@example.com', 'root', 'owner'],
      ['ann@example.com', 'Ann', 'user'],
    ],
  );
  assert.match(
    (await run(['users', 'list'])).stdout,
    /owner {2}root@example\.com {2}root\n.*Ann\n$/,
  );

  const set = ['users', 'set-password', '--email', 'ann@example.com', '--password-stdin'];
  const changed = await run(set, 'a new password\r\n');
  assert.equal(
    changed.stdout,
    'Set the password of ann@example.com and ended its sessions. It has no API tokens.\n',
  );
  assert.equal((await ann.call('GET', '/api/session')).status, 401);
  assert.equal((await ann.call('POST', '/api/session', credentials)).status, 401);
  const next = { ...credentials, password: 'a new password' };
  await json(await ann.call('POST', '/api/session', next));

  assertRefused(
    await create('ann@example.com', PASSWORD),
    /ann@example\.com has an account already/,
  );
  assertRefused(await create('bob', PASSWORD), /email must be an e-mail address/);
  assertRefused(await create('bob@example.com', 'short'), /password must be 10 to 200 .* it has 5/);
  assertRefused(
    await create('bob@example.com', PASSWORD, '--name', 'n'.repeat(101)),
    /name must be/,
  );
  assertRefused(
    await run([...set.slice(0, 2), '--email', 'nobody@example.com', '--password-stdin'], PASSWORD),
    /nobody@example\.com has no account/,
  );
  assertRefused(
    await run(['users', 'create', '--email', 'bob@example.com'], PASSWORD),
    /required option '--password-stdin' not specified/,
  );
  const { items } = await json<{ items: { action: string; actor: string; via: string }[] }>(
    await (await signedInRoot(service)).call('GET', '/api/audit'),
  );
  const byOperator = items.filter(({ via }) => via === 'command');
  assert.deepEqual(
    byOperator.map(({ action, actor }) => `${action} ${actor}`),
    ['account.password operator', 'account.create operator', 'account.create operator'],
  );
});

async function signedInRoot(service: Awaited<ReturnType<typeof startService>>) {
  const root = service.visitor();
  const body = { email: 'root@example.com', password: PASSWORD };
  await json(await root.call('POST', '/api/session', body));
  return root;
}

test('an account gets another address, and the installation another owner', async (t) => {
  const { service, run } = await operated(t);
  const root = await service.signUp('root@example.com');
  await run(['users', 'create', '--email', 'ann@example.com', '--password-stdin'], PASSWORD);
  const move = (email: string, to: string) =>
    run(['users', 'set-email', '--email', email, '--to', to]);
  assert.equal(
    (await move('ann@example.com', 'Ann@New.example')).stdout,
    'ann@example.com has the address ann@new.example now.\n',
  );
  assertRefused(await move('ann@new.example', 'root@example.com'), /has an account already/);
  assertRefused(await move('ann@new.example', 'ann'), /email must be an e-mail address/);
  const owner = await run(['users', 'make-owner', '--email', 'ann@new.example']);
  assert.equal(owner.stdout, 'ann@new.example owns the installation now.\n');
  await assertError(await root.call('GET', '/api/audit'), 403, 'forbidden');
  assertRefused(
    await run(['users', 'disable', '--email', 'ann@new.example']),
    /owns the installation and cannot be disabled/,
  );
});

test('tokens are created and plans set while the service runs', async (t) => {
  const { service, run } = await operated(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const create = (...more: string[]) =>
    run(['tokens', 'create', '--email', 'root@example.com', '--name', 'CI', ...more]);
  const made = JSON.parse((await create('--project', 'pets', '--json')).stdout);
  assert.deepEqual([made.name, made.project, made.owner], ['CI', 'pets', 'root@example.com']);
  const bearer = service.visitor().withToken(made.token);
  assert.equal((await bearer.call('GET', '/api/projects/pets')).status, 200);
  assert.match((await create()).stdout, /It is shown this once:\n\n {2}dash_[\w-]{43}\n/);
  assertRefused(await create('--project', 'none'), /There is no project "none"/);
  assertRefused(
    await run(['tokens', 'create', '--email', 'x@example.com', '--name', 'CI']),
    /x@example\.com has no account/,
  );
  assertRefused(
    await run(['tokens', 'create', '--email', 'root@example.com', '--name', 'n'.repeat(101)]),
    /name must be 1 to 100 characters long/,
  );
  await run(['users', 'create', '--email', 'ann@example.com', '--password-stdin'], PASSWORD);
  assertRefused(
    await run([
      'tokens',
      'create',
      '--email',
      'ann@example.com',
      '--name',
      'x',
      '--project',
      'pets',
    ]),
    /ann@example\.com is not a member of pets/,
  );

  const scim = await run(['scim', 'create-token', '--name', 'Entra ID', '--json']);
  const { token } = JSON.parse(scim.stdout);
  const asked = await fetch(`${service.origin}/scim/v2/Users`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(asked.status, 200);
  assert.match(
    (await run(['scim', 'create-token', '--name', 'Okta'])).stdout,
    /It is shown this once:\n\n {2}scim_[\w-]{43}\n/,
  );

  const plan = await run(['plan', 'pets', 'pro']);
  assert.deepEqual([plan.code, plan.stdout], [0, 'pets is on pro now (before: free).\n']);
  const project = await json<{ plan: string }>(await root.call('GET', '/api/projects/pets'));
  assert.equal(project.plan, 'pro');
  assert.equal((await run(['plan', 'pets', 'pro'])).stdout, 'pets is on pro already.\n');
  assertRefused(await run(['plan', 'none', 'pro']), /There is no project "none"/);
  assertRefused(
    await run(['plan', 'pets', 'gold']),
    /^dashboard: The plan cannot be "gold"\. Allowed choices are free, pro, enterprise/,
  );
});

test('the token of the operator does what scripts do with it, and more where that is said', async (t) => {
  const { service, run } = await operated(t);
  await run(['users', 'create', '--email', 'root@example.com', '--password-stdin'], PASSWORD);
  await run(['users', 'create', '--email', 'ann@example.com', '--password-stdin'], PASSWORD);
  const create = async (email: string, ...more: string[]) => {
    const outcome = await run([
      'tokens',
      'create',
      '--email',
      email,
      '--name',
      'CI',
      '--json',
      ...more,
    ]);
    assert.equal(outcome.code, 0, outcome.stderr);
    const { token, scopes } = JSON.parse(outcome.stdout);
    return { bearer: service.visitor().withToken(token), scopes: scopes.join(' ') };
  };
  const { bearer, scopes } = await create('root@example.com');
  assert.equal(scopes, 'read deploy projects domains installation');
  const made = await bearer.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' });
  assert.equal(made.status, 201);
  await json(await bearer.call('PUT', '/api/projects/pets/plan', { plan: 'pro' }));
  assert.equal((await deploy(bearer, 'pets')).state, 'succeeded');
  const domains = '/api/projects/pets/domains';
  await json(await bearer.call('POST', domains, { hostname: 'docs.example.test' }), 201);
  assert.equal((await bearer.call('DELETE', `${domains}/docs.example.test`)).status, 204);
  const guest = { email: 'eve@example.com', role: 'viewer' };
  const invited = await bearer.call('POST', '/api/projects/pets/invitations', guest);
  await assertError(invited, 403, 'forbidden');

  assert.equal((await create('ann@example.com')).scopes, 'read deploy projects domains');
  assert.equal((await create('root@example.com', '--project', 'pets')).scopes, 'read deploy');
  const more = await create('root@example.com', '--scope', 'members,webhooks', '--scope', 'deploy');
  assert.equal(more.scopes, 'read deploy webhooks members');
  await json(await more.bearer.call('POST', '/api/projects/pets/invitations', guest), 201);
  const wrong = ['tokens', 'create', '--email', 'ann@example.com', '--name', 'CI', '--scope'];
  assertRefused(await run([...wrong, 'god']), /--scope must be one of read, deploy, .*got "god"/);
  assertRefused(await run([...wrong, 'installation']), /installation's owner/);

  const set = ['users', 'set-password', '--email', 'root@example.com', '--password-stdin'];
  const kept = await run(set, PASSWORD);
  assert.match(kept.stdout, /ended its sessions\. 3 API tokens .* still work: --revoke-tokens/);
  assert.equal((await bearer.call('GET', '/api/session')).status, 200);
  const ended = await run([...set, '--revoke-tokens'], PASSWORD);
  assert.match(ended.stdout, /ended its sessions and 3 API tokens\.\n$/);
  assert.equal((await bearer.call('GET', '/api/session')).status, 401);
});

test('help says what a command needs, and a mistake says where help is', async (t) => {
  const folder = await temporaryFolder(t);
  const help = async (...words: string[]) => {
    const { code, stdout } = await dashboard(folder, [...words, '--help']);
    assert.equal(code, 0);
    const longest = Math.max(...stdout.split('\n').map(({ length }) => length));
    assert.ok(longest <= 100, `${words}: ${longest} columns`);
    return stdout;
  };
  assert.match(await help(), /Usage: dashboard .*serve.*edge.*deploy.*users.*tokens.*plan/s);
  assert.match(
    await help('users'),
    /create.*list.*set-password.*set-email.*disable.*enable.*remove.*make-owner/s,
  );
  assert.match(await help('users', 'remove'), /--email <email>.*--hand-over-to <email>/s);
  assert.match(await help('users', 'create'), /--email <email>.*--name.*--password-stdin/s);
  assert.match(await help('users', 'set-password'), /--email <email>.*--password-stdin/s);
  assert.match(await help('tokens', 'create'), /--email.*--name.*--project <slug>.*--json/s);
  assert.match(await help('scim', 'create-token'), /--name <name>.*--json/s);
  assert.match(await help('plan'), /<slug> <plan>.*"free", "pro", "enterprise"/s);
  const mistake = await dashboard(folder, ['users', 'make']);
  assert.equal(mistake.code, 1);
  assert.match(mistake.stderr, /^dashboard: unknown command 'make'\n.*dashboard users --help/s);
});
