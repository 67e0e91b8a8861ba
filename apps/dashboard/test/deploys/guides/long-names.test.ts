import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { assertWithin, timeOf } from '@petstore/test-support/within.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory } from '../../support/build-site.ts';

coverNothing();

async function refused(files: ReadonlyMap<string, string>): Promise<void> {
  const bytes = zipOf([...files].map(([name, content]) => ({ name, content })));
  const result = await buildInMemory({ kind: 'zip', name: 'docs', bytes });
  assert.ok('problems' in result, 'it was built');
}

test('names that were made to be compared for long hold no archive up', async () => {
  const long = (letter: string, at: number) => `${letter.repeat(180)}${at}`;
  const numbers = Array.from({ length: 300 }, (_, at) => at);
  const archives: Record<string, Map<string, string>> = {
    'files that are not there': new Map([
      [
        'docs.yaml',
        `title: T\nnavigation:\n${numbers.map((at) => `- ${long('b', at)}.md\n`).join('')}`,
      ],
      ...Array.from({ length: 1_900 }, (_, at) => [long('a', at), 'x'] as const),
    ]),
    'headings that are not there': new Map([
      ['docs.yaml', 'title: T'],
      ['a.md', Array.from({ length: 2_000 }, (_, at) => `## ${long('a', at)}`).join('\n\n')],
      ['b.md', numbers.map((at) => `[x](a.md#${long('b', at)})`).join('\n\n')],
    ]),
  };
  for (const [name, files] of Object.entries(archives)) {
    await assertWithin(15_000, () => timeOf(() => refused(files)), name);
  }
});
