import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { forkChild } from '@petstore/test-support/children.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openSealer, sealerOf } from '../../server/src/certificates/sealing.ts';

const sealer = sealerOf(randomBytes(32), 'DASHBOARD_SECRET_KEY');

test('what was sealed opens with the same key and context, and with no other', () => {
  const sealed = sealer.seal('a secret: ü', 'certificate a');
  assert.equal(sealer.open(sealed, 'certificate a'), 'a secret: ü');
  assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]+$/);
  assert.doesNotMatch(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString(), /secret/);
  assert.notEqual(sealer.seal('a secret: ü', 'certificate a'), sealed, 'a nonce each time');
  assert.throws(
    () => sealer.open(sealed, 'certificate b'),
    /damaged, or was sealed for something else/,
  );
  const stranger = sealerOf(randomBytes(32), '/data/secret.key');
  assert.throws(() => stranger.open(sealed, 'certificate a'), {
    name: 'UserError',
    message: /another key than that of \/data\/secret\.key.*DASHBOARD_SECRET_KEY/,
  });
});

test('a sealed text that was changed anywhere, or cut short, does not open', () => {
  const sealed = sealer.seal('secret', 'c');
  const [version, key, data = ''] = sealed.split('.');
  const bytes = Buffer.from(data, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = `${version}.${key}.${changed.toString('base64url')}`;
    assert.throws(() => sealer.open(text, 'c'), Error, `byte ${at}`);
  }
  for (const end of [0, 1, 12, 20, bytes.length - 1]) {
    const text = `${version}.${key}.${bytes.subarray(0, end).toString('base64url')}`;
    assert.throws(() => sealer.open(text, 'c'), Error, `${end} bytes`);
  }
});

test('without a variable a key is made at first, for its owner alone, and is the same from then on', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const sealed = openSealer({ secretKey: undefined, dataDir }, []).seal('x', 'c');
  assert.equal(openSealer({ secretKey: undefined, dataDir }, []).open(sealed, 'c'), 'x');
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ['secret.key']);
  const secretKey = Buffer.from(await readFile(join(dataDir, 'secret.key'), 'utf8'), 'base64');
  assert.equal(
    openSealer({ secretKey, dataDir: '/nowhere' }, [{ table: 'webhooks', text: sealed }]).open(
      sealed,
      'c',
    ),
    'x',
  );
});

test('processes that start at once have one key', async (t) => {
  const folder = await temporaryFolder(t);
  const program = join(folder, 'seal.ts');
  const module = new URL('../../server/src/certificates/sealing.ts', import.meta.url);
  await writeFile(
    program,
    `import { openSealer } from '${module}';
     process.once('message', (dataDir) => {
       process.send(openSealer({ secretKey: undefined, dataDir }, []).seal('x', 'c'));
     });
     process.send('ready');`,
  );
  const children = Array.from({ length: 4 }, () => forkChild(t, program));
  await Promise.all(children.map((child) => once(child, 'message')));
  const dataDir = join(folder, 'data');
  const all = await Promise.all(
    children.map(async (child) => {
      const answer = once(child, 'message');
      child.send(dataDir);
      return String((await answer)[0]);
    }),
  );
  const own = openSealer({ secretKey: undefined, dataDir }, []);
  for (const sealed of all) assert.equal(own.open(sealed, 'c'), 'x');
});

test('where something was sealed no other key is made in the place of one that is gone', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  assert.throws(
    () =>
      openSealer({ secretKey: undefined, dataDir }, [
        { table: 'webhooks', text: sealer.seal('x', 'c') },
      ]),
    {
      name: 'UserError',
      message: `${dataDir} has no secret.key, but secrets in the database are sealed with it. Restore it from your backup. If it is lost for good, see docs/domains-for-operators.md#keys.`,
    },
  );
  const sealed = openSealer({ secretKey: undefined, dataDir }, []).seal('x', 'c');
  openSealer({ secretKey: undefined, dataDir }, [{ table: 'webhooks', text: sealed }]);
});

test('a key file that others may read, or that is not a key, is refused with what to do', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  await mkdir(dataDir);
  const path = join(dataDir, 'secret.key');
  const open = () => openSealer({ secretKey: undefined, dataDir }, []);
  const good = randomBytes(32).toString('base64');
  await writeFile(path, good, { mode: 0o600 });
  open();
  for (const mode of [0o640, 0o604, 0o644]) {
    await chmod(path, mode);
    assert.throws(
      open,
      (error) => error instanceof UserError && error.message.includes('chmod 600'),
    );
  }
  await chmod(path, 0o600);
  for (const text of ['', 'no key', randomBytes(31).toString('base64'), `${good}x`]) {
    await writeFile(path, text);
    assert.throws(open, (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /must hold 32 bytes in base64/);
      return text === '' || !error.message.includes(text);
    });
  }
});
