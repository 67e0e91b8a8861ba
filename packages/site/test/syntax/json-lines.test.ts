import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { readSource } from '../../src/openapi/read-document.ts';
import { parseJson } from '../../src/syntax/exact-text.ts';
import type { Location } from '../../src/syntax/source.ts';

/** The line at which a tree of the whole text has a place: of a member that of its name. */
function lineInTree(text: string, location: Location): number {
  const root = parseTree(text, [], { disallowComments: true });
  assert.ok(root);
  const node = location.length === 0 ? root : findNodeAtLocation(root, [...location]);
  assert.ok(node);
  const named = node.parent?.type === 'property' ? node.parent : node;
  return location.length === 0 ? 1 : text.slice(0, named.offset).split('\n').length;
}

function* locationsIn(value: unknown, before: Location = []): Generator<Location> {
  yield before;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* locationsIn(item, [...before, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value))
      yield* locationsIn(member, [...before, name]);
}

/** JSON with other white space: after each mark outside of strings comes some of it. */
function spaced(text: string, spaces: readonly string[]): string {
  let at = 0;
  return text.replace(
    /"(?:[^"\\]|\\.)*"|[{}[\],:]/g,
    (part) => `${part}${spaces[at++ % spaces.length] ?? ''}`,
  );
}

const NAME = fc.oneof(
  fc.constantFrom('a', '200', '0', '', '~1', '"', '\\', '{', 'имя', '名前', '\u2028', 'a\nb'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

const { value: JSON_VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
    NAME,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(NAME, tie('value'), { maxKeys: 4 }),
  ),
}));

const SPACES = fc.array(fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\n\n  '), { minLength: 1 });

test('every place of a JSON text is found on its line, in any order, whatever stands between', () => {
  fc.assert(
    fc.property(
      JSON_VALUE,
      SPACES,
      fc.boolean(),
      fc.infiniteStream(fc.nat()),
      (value, spaces, hasMark, random) => {
        const text = `${spaced(JSON.stringify([value]), spaces)}\n`;
        const source = readSource(Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`), 'a.json');
        assert.ok(!('problem' in source));
        assert.deepEqual(source.value, parseJson(text));
        const locations = [...locationsIn([value])].sort(
          () => ((random.next().value as number) % 2) - 0.5,
        );
        for (const location of locations)
          assert.equal(
            source.lineOf(location),
            lineInTree(text, location),
            JSON.stringify(location),
          );
      },
    ),
    { numRuns: 300 },
  );
});

test('the line of what is not there is that of what is around it', () => {
  const source = readSource(Buffer.from('{\n "a": [\n  1,\n  {"b": 2}\n ]\n}'), 'a.json');
  assert.ok(!('problem' in source));
  assert.deepEqual(
    [['c'], ['a', 5], ['a', 1, 'c'], ['a', 0, 'x'], ['a', 1, 'b', 'x']].map((one) =>
      source.lineOf(one),
    ),
    [1, 2, 4, 3, 4],
  );
});

test('numbers keep every digit, and what looks like one in a text is no number', () => {
  const text =
    '{"a": 12345678901234567890, "b": ": 12345678901234567890", "c": [1234567890123456]}';
  const source = readSource(Buffer.from(text), 'a.json');
  assert.ok(!('problem' in source));
  assert.deepEqual(source.value, {
    ...{ a: 12345678901234567890n, b: ': 12345678901234567890' },
    c: [1234567890123456],
  });
  for (const [twice, line] of [
    ['{"a": 1,\n"a": 2}', 2],
    ['{"a": {"b": 1, "\\u0062": 1}}', 1],
  ] as const) {
    const read = readSource(Buffer.from(twice), 'a.json');
    assert.ok('problem' in read);
    assert.equal(read.problem.line, line);
  }
});
