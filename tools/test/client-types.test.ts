import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '@petstore/test-support/root.ts';
import { generate } from '../src/client-types.ts';

const GENERATED = join(ROOT, 'packages/client/src/generated');

test("the client's types are what the document says", async () => {
  for (const [name, text] of Object.entries(await generate())) {
    const committed = await readFile(join(GENERATED, name), 'utf8');
    assert.ok(committed === text, `${name} is old; make it anew: npm run client`);
  }
});
