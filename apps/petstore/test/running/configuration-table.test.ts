import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { readDocument } from '@petstore/test-support/documents.ts';
import { readConfig } from '../../src/config.ts';
import { allVariables, describeVariables } from '../support/variables.ts';

interface Row {
  readonly fallback: string;
  readonly meaning: string;
}

/** What OpenTelemetry's own packages read. */
const READ_BY_OPENTELEMETRY = new Set(['OTEL_RESOURCE_ATTRIBUTES', 'OTEL_EXPORTER_OTLP_HEADERS']);

/** The rows of the tables under "The API", by the variable's name. */
async function readTable(): Promise<Map<string, Row>> {
  const document = await readDocument('docs/settings.md');
  const [, section = ''] = document.split(/^## The API$/m);
  const [table = ''] = section.split(/^## /m);
  const rows = table.matchAll(/^\| `([A-Z0-9_]+)` *\| *(.*?) *\| *(.*?) *\|$/gm);
  return new Map(
    [...rows].map(([, name = '', fallback = '', meaning = '']) => [name, { fallback, meaning }]),
  );
}

test('the table of settings has each variable that the service reads once, and no other', async () => {
  const rows = await readTable();
  assert.deepEqual([...rows.keys()].sort(), [...(await allVariables())].sort());
});

test('no document for operators names a variable that the service does not read', async () => {
  const variables = await allVariables();
  const pages = ['docs/operations.md', 'docs/runbook.md', 'docs/settings.md'];
  const text = (await Promise.all(pages.map(readDocument))).join('\n');
  for (const [name] of text.matchAll(/\b(?:PETSTORE|OTEL)_[A-Z0-9_]*[A-Z0-9]\b/g)) {
    assert.ok(variables.has(name) || READ_BY_OPENTELEMETRY.has(name), name);
  }
});

test('the table has the default, the bounds and the words of each setting as the service has them', async () => {
  const rows = await readTable();
  const variables = describeVariables();
  assert.ok(variables.some(({ bounds }) => bounds) && variables.some(({ words }) => words.length));
  for (const { name, hasDefault, bounds, words } of variables) {
    const row = rows.get(name);
    assert.ok(row, `${name} is missing`);
    const [, fallback] = /^`(.+)`$/.exec(row.fallback) ?? [];
    assert.equal(fallback !== undefined, hasDefault, `${name}: whether it has a default`);
    // Setting what stands for it anyway changes nothing.
    if (fallback) assert.deepEqual(readConfig({ [name]: fallback }), readConfig({}), name);
    if (bounds) {
      const [min, max] = bounds;
      assert.ok(row.meaning.includes(`${min} to ${max}`), `${name} lacks "${min} to ${max}"`);
    }
    for (const word of words) {
      assert.ok(`${row.fallback} ${row.meaning}`.includes(`\`${word}\``), `${name} lacks ${word}`);
    }
  }
});
