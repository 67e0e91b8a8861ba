import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChangedOperation,
  type ChangelogEntry,
  changelogText,
  operationHistories,
  readChangelog,
  withEntries,
} from '../../src/changelog/changelog.ts';
import { dayOfFile, MAX_NOTES, notesToCome, shownNotes } from '../../src/changelog/notes.ts';
import { NO_SETTINGS } from '../../src/guides/page-settings.ts';
import type { RenderedPage } from '../../src/guides/render/render-page.ts';
import { latestDay } from '../../src/syntax/days.ts';

const entryOf = (
  day: string,
  operations: readonly ChangedOperation[] = [],
  api: string | null = null,
): ChangelogEntry => ({
  ...{ id: day.replaceAll('-', '').padEnd(16, '0'), at: `${day}T10:00:00Z`, api, title: 'Pets' },
  ...{ version: '1', before: '1', documentation: 0, operations, changes: [], leftOut: 0 },
});

test('a changelog has bounds, beyond which its oldest entries go', () => {
  const entries = ['2026-03-03', '2026-03-02', '2026-03-01'].map((day) => entryOf(day));
  const [first, second] = entries;
  const added = [entryOf('2026-03-04')];
  const room = (most: object) =>
    withEntries({ entries }, added, { entries: 9, letters: 9_999, ...most }).entries;
  assert.deepEqual(room({}), [...added, ...entries]);
  assert.deepEqual(room({ entries: 2 }), [...added, first]);
  const letters = JSON.stringify(first).length;
  assert.deepEqual(room({ letters: 3 * letters }), [...added, first, second]);
  assert.deepEqual(room({ letters: 3 * letters - 1 }), [...added, first]);
});

test('a changelog is read as it was written, and one of a later version is none', () => {
  const changelog = { entries: [entryOf('2026-03-03', [{ name: 'GET /', did: ['added'] }])] };
  assert.deepEqual(readChangelog(changelogText(changelog)), changelog);
  assert.deepEqual(readChangelog('{"version":2,"entries":[1]}'), { entries: [] });
});

test('the history of an operation begins anew where it was removed', () => {
  const entries = [
    entryOf('2026-03-06', [{ name: 'GET /pets/{petId}', did: ['changed'] }]),
    entryOf('2026-03-05', [{ name: 'GET /pets/{id}', did: ['added'] }]),
    entryOf('2026-03-04', [{ name: 'GET /pets/{id}', did: ['removed'] }]),
    entryOf('2026-03-03', [
      { name: 'GET /pets/{id}', did: ['deprecated', 'changed'], sunset: '2026-12-01' },
    ]),
    entryOf('2026-03-02', [{ name: 'GET /shops', did: ['deprecated'], sunset: '2026-12-01' }]),
  ].map((entry, at) => (at === 4 ? { ...entry, api: 'shops' } : entry));
  const histories = operationHistories({ entries }, null);
  const pets = histories.get('GET /pets/{}');
  assert.deepEqual(
    [pets?.added?.at, pets?.changed?.at],
    ['2026-03-05T10:00:00Z', '2026-03-06T10:00:00Z'],
  );
  assert.deepEqual([pets?.deprecated, pets?.sunset], [undefined, undefined]);
  // Of several documents each has its own.
  assert.deepEqual([...operationHistories({ entries }, 'shops').keys()], ['GET /shops']);
});

test('what is withdrawn is no part of a history', () => {
  const history = (...latest: ChangedOperation[]) =>
    operationHistories(
      {
        entries: [
          entryOf('2026-03-04', latest),
          entryOf('2026-03-03', [{ name: 'GET /', did: ['deprecated'], sunset: '2026-12-01' }]),
        ],
      },
      null,
    ).get('GET /');
  assert.equal(history()?.sunset?.day, '2026-12-01');
  assert.equal(
    history({ name: 'GET /', did: [], sunset: '2027-12-01' })?.sunset?.day,
    '2027-12-01',
  );
  const kept = history({ name: 'GET /', did: ['kept'] });
  assert.deepEqual([kept?.deprecated?.at, kept?.sunset], ['2026-03-03T10:00:00Z', undefined]);
  const restored = history({ name: 'GET /', did: ['restored'] });
  assert.deepEqual([restored?.deprecated, restored?.sunset], [undefined, undefined]);
});

test('a day is of the future where no calendar has it yet', () => {
  assert.equal(latestDay('2026-11-30T09:59:59Z'), '2026-11-30');
  assert.equal(latestDay('2026-11-30T10:00:00Z'), '2026-12-01');
  const files = ['changelog/2026-12-02.md', 'changelog/2026-12-01-b.mdx', 'x/2027-01-01.md'];
  assert.deepEqual(notesToCome(files, '2026-11-30T10:00:00Z'), ['changelog/2026-12-02.md']);
});

test('a note is called by its day', () => {
  for (const [file, day] of [
    ['changelog/2026-12-02.md', '2026-12-02'],
    ['changelog/2026-12-02-größer.mdx', '2026-12-02'],
    ['changelog/2026-99-99.md', '2026-99-99'],
    ['changelog/2026-12-02x.md', undefined],
    ['changelog/2026/2026-12-02.md', undefined],
    ['docs/changelog/2026-12-02.md', undefined],
    ['changelog/2026-12-02.txt', undefined],
  ] as const)
    assert.equal(dayOfFile(file), day, file);
});

/** Notes of days one after the other, each with this HTML. */
function notesOf(count: number, html: string) {
  const pages = Array.from({ length: count }, (_, at): RenderedPage => {
    const day = new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10);
    return {
      ...{ file: `changelog/${day}.md`, path: `/changelog/${day}`, title: day, description: '' },
      ...{ lead: '', html, headings: [], ids: [], sections: [], paragraph: '' },
      links: {
        ...{ pages: [], files: new Set(), icons: new Set(), hasDiagrams: false },
        ...{ problems: [], warnings: [] },
      },
      settings: NO_SETTINGS,
    };
  });
  const notes = new Map(pages.map(({ file }) => [file, file]));
  return shownNotes(pages, { notes, hasCome: () => true });
}

test('the changelog has room for so many notes, and says which it leaves out', () => {
  const many = notesOf(MAX_NOTES.notes + 2, '');
  assert.equal(many.shown.length, MAX_NOTES.notes);
  assert.deepEqual(
    many.findings.map(({ rule, file }) => [rule, file]),
    [
      ['changelog', 'changelog/2020-01-02.md'],
      ['changelog', 'changelog/2020-01-01.md'],
    ],
  );
  const long = notesOf(4, 'x'.repeat(MAX_NOTES.letters / 2));
  assert.deepEqual(
    long.shown.map(({ day }) => day),
    ['2020-01-04', '2020-01-03'],
  );
  assert.equal(long.findings.length, 2);
});
