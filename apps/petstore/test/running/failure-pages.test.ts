import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument } from '@petstore/test-support/documents.ts';
import '@petstore/test-support/clean-up.ts';
import { type ApiErrorCode, ERRORS } from '@petstore/http/errors.ts';
import { ROOT } from '@petstore/test-support/root.ts';

/** Codes that tell an operator nothing, however many there are, and why. */
const OF_CLIENTS_ALONE: Partial<Record<ApiErrorCode, string>> = {
  invalid_json: 'the body is what the client wrote',
  invalid_cursor:
    'a cursor has no secret and no end, so each that was given out is good everywhere',
  conflict: 'what is stored stands against it, and who stored it were clients',
  invalid_transition: 'the same, for a status',
  precondition_failed: 'the copy that the client has is old',
  uri_too_long: 'no operation needs a target of that length, and no proxy adds to one',
  unsupported_media_type: 'the client named the type',
};

/** What an entry says, in this order. A table may stand for one. */
const PARTS = ['Seen as', 'Means', 'Confirm', 'Do', 'Prevent'];

/** The entries of the runbook's "Symptoms", by their headings. */
async function readEntries(): Promise<Map<string, string>> {
  const document = await readDocument('docs/runbook.md');
  const [, section = ''] = document.split(/^## Symptoms$/m);
  const [, ...entries] = section.split(/^### /m);
  return new Map(
    entries.map((entry) => {
      const [heading = '', ...text] = entry.split('\n');
      return [heading, text.join('\n')];
    }),
  );
}

test('every error code has an entry for operators under its status, or is of clients alone', async () => {
  const headings = [...(await readEntries()).keys()];
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const named = headings.filter((heading) => heading.includes(`\`${code}\` (${status})`));
    const isOfClients = Object.hasOwn(OF_CLIENTS_ALONE, code);
    assert.equal(named.length > 0, !isOfClients, `${code}: ${named.join()}`);
  }
  for (const [, code = ''] of headings.join().matchAll(/`(\w+)` \(/g)) {
    assert.ok(Object.hasOwn(ERRORS, code), `there is no error ${code}`);
  }
});

test('an entry for an error says what is seen, what it means, how to be sure, what to do and how to prevent it', async () => {
  for (const [heading, text] of await readEntries()) {
    const parts = [...text.matchAll(/^- \*\*([\w ]+?)(?:, and do)?:\*\*/gm)].map(
      ([, part]) => part,
    );
    if (/^`/.test(heading)) assert.deepEqual(parts, PARTS, heading);
    // A symptom may be told by its heading, or by a table.
    else for (const part of parts) assert.ok(PARTS.includes(part ?? ''), `${heading}: ${part}`);
  }
});

test('every sentence that the entries quote is one that the service says', async () => {
  const paths = globSync('{apps/petstore/{src,bin},packages/{postgres,service}/src}/**/*.{ts,js}', {
    cwd: ROOT,
  });
  const sources = await Promise.all(paths.map((path) => readFile(join(ROOT, path), 'utf8')));
  const said = sources.join('\n').replaceAll("\\'", "'");
  let found = 0;
  for (const [heading, text] of await readEntries()) {
    for (const [, quoted = ''] of text.matchAll(/“([^”]+)”/g)) {
      // “…” stands for what differs, numbers are put in, and lines may break anywhere.
      const pieces = quoted.replace(/\s+/g, ' ').split(/…|\d+/);
      for (const piece of pieces.map((part) => part.trim()).filter((part) => part.length > 3)) {
        assert.ok(said.includes(piece), `${heading}: nothing says "${piece}"`);
        found++;
      }
    }
  }
  assert.ok(found > 50);
});

test('every figure of the sizing table stands in the table of measurements', async () => {
  const document = await readDocument('docs/operations.md');
  const measured = await readDocument('docs/performance.md');
  const [, section = ''] = document.split(/^## Capacity$/m);
  const [tables = ''] = section.split(/^\*\*Which size/m);
  const figures = [
    ...tables.matchAll(/(?<![\d,.])(\d+,\d{3}|\d+\.\d+|\d+(?= (?:ms|MiB) ))(?![\d,])/g),
  ];
  assert.ok(figures.length > 8);
  for (const [figure] of figures) {
    assert.match(measured, new RegExp(`\\| ${figure.replace('.', '\\.')}[ |]`), figure);
  }
});
