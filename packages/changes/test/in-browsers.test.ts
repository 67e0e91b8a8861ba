import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { rolldown } from 'rolldown';
import type { ChangeList } from '../src/change.ts';

test('two documents are compared without anything of Node', async (t) => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../src/compare-documents.ts', import.meta.url)),
    platform: 'browser',
    // What is left over as an import is not there in a browser.
    external: [],
    onLog: (_level, { message }) => assert.fail(message),
  });
  cleanUp(t, () => bundle.close());
  const { output } = await bundle.generate({ format: 'iife', name: 'changes' });
  const { code } = output[0];
  assert.doesNotMatch(code, /['"]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
  // A context has the language alone.
  const context = createContext({ URL: undefined });
  new Script(`${code}
    const of = (operations) => ({
      document: { openapi: '3.1.0', info: {}, paths: { '/pets': operations } },
      placeOf: (pointer) => ({ file: 'a.json', pointer, line: null }),
    });
    globalThis.list = JSON.stringify(changes.compareDocuments(of({ get: {}, put: {} }), of({ get: {} })));
  `).runInContext(context);
  const list = JSON.parse((context as { list: string }).list) as ChangeList;
  assert.deepEqual(
    list.changes.map(({ code }) => code),
    ['operation-removed'],
  );
});
