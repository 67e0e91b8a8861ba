import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, type TestContext, test } from 'node:test';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { finished, runProgram, startProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { messageText, outcomeOf, type RpcResponse } from '../support/mcp.ts';
import { PETSTORE } from '../support/program.ts';
import { type ServiceWithSandbox, startWithSandbox } from '../support/sandbox.ts';

let service: ServiceWithSandbox;
before(async () => {
  service = await startWithSandbox(FILE);
});

const environment = (key: string) => ({
  PETSTORE_URL: `${service.origin}/v1`,
  PETSTORE_KEY: key,
});

/** Runs the command on some lines, to the end of its input; what it wrote, a message a line, by their ids. */
async function run(lines: readonly string[], key = service.key) {
  const input = lines.map((line) => `${line}\n`).join('');
  const outcome = await runProgram(
    process.execPath,
    [PETSTORE, 'mcp'],
    ROOT,
    environment(key),
    input,
  );
  assert.deepEqual([outcome.code, outcome.stderr], [0, '']);
  assert.ok(outcome.stdout.endsWith('\n'));
  // Nothing else may stand on standard output.
  const messages = outcome.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RpcResponse & { jsonrpc: string });
  assert.ok(messages.every(({ jsonrpc }) => jsonrpc === '2.0'));
  return (id: unknown) => {
    const found = messages.filter((message) => message.id === id);
    assert.equal(found.length, 1, `${JSON.stringify(id)} in ${outcome.stdout}`);
    return found[0] as RpcResponse;
  };
}

test('an agent at standard input works with a sandbox, digit for digit', async () => {
  const of = await run(
    [
      messageText(1, 'tools/list'),
      messageText(2, 'tools/call', 'createPet', '{"name":"Rex","categoryId":9007199254740993}'),
      messageText(3, 'tools/call', 'getPet', '{"petId":1}'),
      messageText(4, 'tools/call', 'deletePet', '{"petId":"../sandboxes"}'),
      messageText(5, 'tools/call', 'listPet'),
    ],
    service.sandboxKey,
  );
  assert.ok(of(1).result?.tools?.some(({ name }) => name === 'createPet'));
  assert.match(outcomeOf(of(2)).text, /"categoryId":9007199254740993/);
  const expected = await (await service.inSandbox('/pets/1')).text();
  assert.equal(outcomeOf(of(3)).text, expected, 'the bytes of the API');
  assert.match(outcomeOf(of(4)).text, /"not_found"/);
  assert.equal(of(5).error?.code, -32602);
});

test('what is no message gets an error, and the next message a response', async () => {
  const of = await run(['hello', messageText(1, 'tools/call', 'listPets', '{"limit":1}')]);
  assert.equal(of(null).error?.code, -32700);
  assert.equal(outcomeOf(of(1)).isError, false);
  const long = await run([`"${'a'.repeat(300_000)}"`, messageText(1, 'tools/list')]);
  assert.equal(long(null).error?.code, -32600);
  assert.ok(long(1).result);
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const batch = await run([`[${Array(1_000).fill(ping).join()}]`, messageText(2, 'tools/list')]);
  assert.equal(batch(null).error?.code, -32600);
  assert.ok(batch(2).result);
});

test('a thousand requests at once all get their results', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const of = await run(ids.map((id) => messageText(id, 'tools/call', 'listPets', '{"limit":1}')));
  for (const id of ids) assert.equal(outcomeOf(of(id)).isError, false);
});

test('a key that the service refuses, none, and no service end the command with a sentence', async () => {
  const tried = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      [PETSTORE, 'mcp'],
      ROOT,
      env,
    );
    assert.deepEqual([code, stdout], [1, '']);
    return stderr;
  };
  const { PETSTORE_URL } = environment('');
  assert.match(await tried({ PETSTORE_URL }), /There is no API key\. Put one into PETSTORE_KEY/);
  assert.match(
    await tried({ PETSTORE_URL, PETSTORE_KEY: 'secret' }),
    /^petstore: The API key is not valid here/,
  );
  assert.match(
    await tried({ PETSTORE_URL: 'http://127.0.0.1:1/v1', PETSTORE_KEY: 'secret' }),
    /^petstore: No service responds at http:\/\/127\.0\.0\.1:1\/v1/,
  );
  assert.match(
    await tried({ PETSTORE_URL: 'ftp://a/v1', PETSTORE_KEY: 'a' }),
    /PETSTORE_URL must be/,
  );
});

async function started(t: TestContext) {
  const program = startProgram(
    t,
    process.execPath,
    [PETSTORE, 'mcp'],
    ROOT,
    environment(service.key),
  );
  const { stdin, stdout } = program.child;
  assert.ok(stdin && stdout);
  stdin.write(`${messageText(1, 'tools/list')}\n`);
  await once(stdout, 'data');
  return { ...program, stdin };
}

test('SIGTERM, and the end of its input, end the command', async (t) => {
  const first = await started(t);
  first.child.kill('SIGTERM');
  await finished(first);
  assert.equal(first.child.signalCode, 'SIGTERM');
  const second = await started(t);
  second.stdin.end();
  assert.equal((await finished(second)).code, 0);
});
