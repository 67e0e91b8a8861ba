import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { startLabAuthority } from '../src/lab-authority.ts';

test('the dashboard of the lab trusts the directory and what it issues, or no rehearsal of a move were ever ready', async (t) => {
  const authority = await startLabAuthority(await temporaryFolder(t), {
    nameServer: '127.0.0.1:9',
    httpPort: 9,
    tlsPort: 9,
  });
  cleanUp(t, authority.close);
  const trusted = await readFile(authority.caFile, 'utf8');
  const root = await readFile(authority.rootFile, 'utf8');
  assert.ok(trusted.includes(root.trim()));
  assert.equal(trusted.match(/BEGIN CERTIFICATE/g)?.length, 2);
});
