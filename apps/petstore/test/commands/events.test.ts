import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { coverNoPrograms, finished, startProgram } from '@petstore/test-support/program.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { PETSTORE, petstore } from '../support/program.ts';
import { startWithSandbox } from '../support/sandbox.ts';

coverNoPrograms();

test('petstore events shows what happened, with every digit, and goes on over a broken connection', async (t) => {
  const folder = await temporaryFolder(t);
  const { inSandbox, sandboxKey, port } = await startWithSandbox(t);
  const cable = await tcpProxy(t, port);
  const url = `http://127.0.0.1:${cable.port}/v1`;
  const create = async (name: string) => {
    const body = `{"name":"${name}","categoryId":9007199254740993}`;
    assert.equal((await inSandbox('/pets', { method: 'POST', body })).status, 201);
  };
  const env = { PETSTORE_KEY: sandboxKey };
  const run = (...args: string[]) => petstore(folder, ['events', '--url', url, ...args], env);

  for (let made = 1; made <= 101; made++) await create('Rex');
  assert.equal((await inSandbox('/pets/1', { method: 'DELETE' })).status, 204);
  const all = await run();
  assert.deepEqual([all.code, all.stderr], [0, '']);
  const lines = all.stdout.trimEnd().split('\n');
  assert.equal(lines.length, 102);
  assert.match(
    lines[0] ?? '',
    /^1 {2}\d{4}-\S+Z {2}pet\.created {6}\{"id":4,"name":"Rex","categoryId":9007199254740993,.*\}$/,
  );
  const log = await (await inSandbox('/events?after=99')).text();
  const json = await run('--json', '--after', '99');
  assert.equal(`[${json.stdout.trimEnd().replaceAll('\n', ',')}]`, log);
  const deleted = await run('--type', 'pet.deleted', 'order.placed');
  assert.match(deleted.stdout, /^102 {2}\S+ {2}pet\.deleted {6}\{"id":1,.*\}\n$/);

  const args = [PETSTORE, 'events', '--follow', '--after', '101', '--url', url];
  const following = startProgram(t, process.execPath, args, folder, env);
  const until = async (pattern: RegExp) => {
    while (!pattern.test(following.output.stdout)) {
      await once(following.child.stdout ?? following.child, 'data');
    }
  };
  await until(/^102 /m);
  cable.reset();
  await create('behind the break');
  await until(/^103 .*behind the break/m);
  following.child.kill('SIGINT');
  assert.equal((await finished(following)).code, 130);
  assert.equal(following.output.stdout.match(/^10[23] /gm)?.length, 2, 'each once');
});

test('who takes the first lines alone is no error; what cannot be is one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const { inSandbox, sandboxKey, origin } = await startWithSandbox(t);
  const url = `${origin}/v1`;
  const pipe = `"$0" "$1" events --follow --url ${url} | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const program = startProgram(t, 'bash', ['-c', pipe, process.execPath, PETSTORE], folder, {
    PETSTORE_KEY: sandboxKey,
  });
  const body = '{"name":"Rex","categoryId":1}';
  let isOver = false;
  program.child.once('exit', () => {
    isOver = true;
  });
  while (!isOver) await inSandbox('/pets', { method: 'POST', body });
  assert.match((await finished(program)).stdout, /^1 {2}.*\n0\n$/);

  const refused = async (args: string[], env: Record<string, string>) => {
    const { code, stderr } = await petstore(folder, ['events', ...args], env);
    assert.equal(code, 1, args.join(' '));
    return stderr;
  };
  const env = { PETSTORE_KEY: sandboxKey };
  assert.match(await refused([], {}), /PETSTORE_KEY must be an API key/);
  const nobody = ['--follow', '--url', 'http://127.0.0.1:9/v1'];
  assert.match(await refused(nobody, env), /No service responds at http:\/\/127\.0\.0\.1:9\/v1/);
  assert.match(await refused(['--url', url, '--after', 'x'], env), /after must be the id/);
  assert.match(await refused(['--url', url], { PETSTORE_KEY: 'pk_live_x' }), /API key/);
  assert.match(await refused(['--url', url, '--type', 'pet.born'], env), /Allowed choices are/);
});
