import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { petstore } from '../support/program.ts';

test('petstore faults adds, lists and clears the rules of a sandbox', async (t) => {
  const folder = await temporaryFolder(t);
  const made = await petstore(folder, ['sandbox', 'create', '--json']);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const faults = (...args: string[]) => petstore(folder, ['faults', ...args]);
  const fault = 'status=503;rate=0.5;seed=7';
  assert.match((await faults('list', id)).stdout, /^The sandbox has no fault rules\./);
  const more = ['--operation', 'createPet', 'listPets', '--from', '2', '--times', '10'];
  assert.match((await faults('add', id, fault, ...more)).stdout, /^Added fault_[0-9a-f]{16}\./);
  assert.equal((await faults('add', id, 'cut')).code, 0);
  const listed = JSON.parse((await faults('list', id, '--json')).stdout) as object[];
  assert.deepEqual(
    listed.map((rule) => ({ ...rule, id: undefined })),
    [
      {
        id: undefined,
        fault,
        operations: ['createPet', 'listPets'],
        from: 2,
        times: 10,
        requests: 0,
      },
      { id: undefined, fault: 'cut', from: 1, requests: 0 },
    ],
  );
  const { stdout: table } = await faults('list', id);
  assert.equal((await faults('list', key)).stdout, table, 'the key names it, too');
  assert.match(table, /^ID +FROM +TIMES +REQUESTS +FAULT +OPERATIONS$/m);
  assert.match(table, /^fault_\w+ +1 +all +0 +cut +all$/m);

  const wrong: [string[], RegExp][] = [
    [['add', id, 'status=700'], /fault: status=700 is not right: status must be an error status/],
    [
      ['add', id, 'cut', '--operation', 'nothing'],
      /operations must be an array of some of listPets/,
    ],
    [['list', 'sbx_none'], /There is no such sandbox\. `petstore sandbox list` shows/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr } = await faults(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
  assert.match((await faults('clear', id)).stdout, /^Deleted all rules\./);
  assert.deepEqual(JSON.parse((await faults('list', id, '--json')).stdout), []);
});
