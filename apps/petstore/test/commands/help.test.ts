import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT } from '@petstore/test-support/root.ts';
import { petstore } from '../support/program.ts';

/** What most terminals are wide, in characters. */
const COLUMNS = 80;

/** The commands below one, by its help, with their words. */
async function commandsBelow(words: readonly string[]): Promise<string[][]> {
  const { code, stdout, stderr } = await petstore(ROOT, [...words, '--help']);
  const name = ['petstore', ...words].join(' ');
  assert.deepEqual({ name, code, stderr }, { name, code: 0, stderr: '' });
  for (const line of stdout.split('\n')) {
    assert.ok(line.length <= COLUMNS, `${name} --help has ${line.length} columns: ${line}`);
  }
  const settings = stdout.match(
    /^Settings come from environment variables: see petstore --help\.$/gm,
  );
  assert.equal(settings?.length ?? 0, words.length === 0 ? 0 : 1, `${name} --help`);
  const [, commands = ''] = stdout.split(/^Commands:$|^Environment:$/m);
  const below = [...commands.matchAll(/^ {2}(\w+) /gm)]
    .map(([, word = '']) => word)
    .filter((word) => word !== 'help');
  return below.map((word) => [...words, word]);
}

test('the help of every command fits in 80 columns and says where settings come from', async () => {
  const commands = await commandsBelow([]);
  assert.ok(commands.length > 5);
  const below = await Promise.all(commands.map(commandsBelow));
  assert.ok(below.flat().length > 3);
  for (const rest of await Promise.all(below.flat().map(commandsBelow))) assert.deepEqual(rest, []);
});

test('help is given for commands of several words, too', async () => {
  for (const words of [['seed'], ['keys'], ['keys', 'create']]) {
    const asked = await petstore(ROOT, ['help', ...words]);
    const { stdout } = await petstore(ROOT, [...words, '--help']);
    assert.deepEqual(asked, { code: 0, stdout, stderr: '' });
    assert.ok(stdout.startsWith(`Usage: petstore ${words.join(' ')} `));
  }
});
