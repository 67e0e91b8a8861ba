import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '@petstore/http/errors.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { generate } from '../src/client-types.ts';

const GENERATED = join(ROOT, 'packages/client/src/generated');

test("the client's types are what the document says", async () => {
  for (const [name, text] of Object.entries(await generate())) {
    const committed = await readFile(join(GENERATED, name), 'utf8');
    assert.ok(committed === text, `${name} is old; make it anew: npm run client`);
  }
});

test("the client's error codes are those of the service's errors, and nothing else that has a code", async () => {
  const { 'error-codes.ts': text = '' } = await generate();
  const codes = [...text.matchAll(/\| '(\w+)'/g)].map(([, code = '']) => code);
  assert.ok(codes.includes('not_found'));
  assert.deepEqual(
    codes.filter((code) => !(code in ERRORS)),
    [],
  );
});
