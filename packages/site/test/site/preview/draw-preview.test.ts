import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { coverNothing } from '@petstore/test-support/program.ts';
import fc from 'fast-check';
import { letterAtlas } from '../../../src/site/preview/atlas.ts';
import {
  DRAWING,
  drawPreview,
  PREVIEW_SIZE,
  type PreviewText,
} from '../../../src/site/preview/draw-preview.ts';
import { drawable, layOut, linesOf } from '../../../src/site/preview/text-lines.ts';

coverNothing();

const SITE = { title: 'Petstore', color: '#0a58ca' };

const LIST: PreviewText = {
  ...{ title: 'List pets', description: '', label: undefined },
  operation: { method: 'GET', path: '/pets' },
};

const draw = (text: Partial<PreviewText> = {}, site = SITE) =>
  drawPreview({ site, text: { ...LIST, ...text } });

/** The chunks of a PNG by name, each with a right checksum. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const named = png.subarray(at + 4, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(named));
    chunks.set(named.toString('latin1', 0, 4), named.subarray(4));
    at += 12 + length;
  }
  return chunks;
}

/** The colours of an image's pixels, as numbers of its palette. */
function pixelsOf(png: Buffer): Uint8Array {
  const rows = inflateSync(chunksOf(png).get('IDAT') ?? '');
  const bytes = PREVIEW_SIZE.width / 2;
  return Uint8Array.from({ length: PREVIEW_SIZE.width * PREVIEW_SIZE.height }, (_, at) => {
    const [x, y] = [at % PREVIEW_SIZE.width, Math.floor(at / PREVIEW_SIZE.width)];
    const pair = rows[y * (bytes + 1) + 1 + (x >> 1)] ?? 0;
    return x & 1 ? pair & 15 : pair >> 4;
  });
}

/** The rows in which two images differ, from the first to the last. */
function differentRows(one: Buffer, other: Buffer): [first: number, last: number] | undefined {
  const [a, b] = [pixelsOf(one), pixelsOf(other)];
  const rows = [...a.keys()]
    .filter((at) => a[at] !== b[at])
    .map((at) => Math.floor(at / PREVIEW_SIZE.width));
  return rows.length === 0 ? undefined : [rows[0] ?? 0, rows.at(-1) ?? 0];
}

test('an image is a PNG of 1200 by 630 with sixteen colours, and small', () => {
  const png = draw({ description: 'All pets that the store has, the newest first.' });
  const header = chunksOf(png).get('IHDR');
  assert.deepEqual([header?.readUInt32BE(0), header?.readUInt32BE(4)], [1_200, 630]);
  // Bits for each pixel, and the type: indexed.
  assert.deepEqual([header?.[8], header?.[9]], [4, 3]);
  assert.equal(chunksOf(png).get('PLTE')?.length, 3 * 16);
  assert.ok(png.length < 10_000, `${png.length} bytes`);
});

test('the same text makes the same bytes, whatever was drawn before', () => {
  const first = draw();
  draw({ title: 'Something long that takes more than a line of an image', description: 'x' });
  assert.ok(draw().equals(first));
  draw({}, { ...SITE, title: 'Dogstore' });
  assert.ok(draw().equals(first));
});

test('what is drawn changes only with the version that the names of images have', () => {
  const all = {
    ...{ title: 'Ärger, “Żółw” & Ελλάδα {x}', description: 'The quick brown fox: 0123456789.' },
    operation: { method: 'DELETE', path: '/v1/pets/{petId}/photos' },
  };
  const chunks = [draw(all), draw({ ...all, operation: undefined, label: 'Guides' })].map(chunksOf);
  const drawn = chunks.flatMap((one) => [
    one.get('PLTE') ?? '',
    inflateSync(one.get('IDAT') ?? ''),
  ]);
  const seen = hash('sha256', Buffer.concat(drawn.map((one) => Buffer.from(one))), 'hex');
  assert.deepEqual([DRAWING, seen.slice(0, 16)], [1, 'eb3ad90a211935cd']);
});

test('each text and the colour are seen', () => {
  const plain = draw();
  for (const other of [
    ...[{ title: 'List dogs' }, { description: 'All of them.' }],
    ...[{ operation: { method: 'PUT', path: '/pets' } }],
    ...[{ operation: { method: 'GET', path: '/dogs' } }],
    { operation: undefined, label: 'Guides' },
  ])
    assert.ok(differentRows(draw(other), plain), JSON.stringify(other));
  assert.ok(differentRows(draw({}, { ...SITE, title: 'Dogstore' }), plain));
  const palette = (color: string) => chunksOf(draw({}, { ...SITE, color })).get('PLTE');
  assert.notDeepEqual(palette('#ff5c00'), palette('#0a58ca'));
});

test('a text with letters that the atlas lacks is left out, and nothing else', () => {
  const without = draw({ title: '' });
  for (const title of ['列出宠物', 'قائمة الحيوانات', 'List 宠物', 'שלום'])
    assert.ok(draw({ title }).equals(without), title);
  assert.ok(draw({ title: 'List pets 🐶👩‍💻🇩🇪' }).equals(draw()), 'emoji alone are left out');
  for (const title of ['Заказ за пять минут', 'Ελληνικά', 'Łódź, Ärger, Việt Nam', '“Un‑broken”'])
    assert.ok(differentRows(draw({ title }), without), title);
});

test('a method stands on its chip, with nothing of the ground between', () => {
  const pixels = pixelsOf(draw({ title: '', operation: { method: 'OPTIONS', path: '' } }));
  const chip = [...pixels.keys()].filter((at) => {
    const [x, y] = [at % PREVIEW_SIZE.width, Math.floor(at / PREVIEW_SIZE.width)];
    return x > 95 && x < 200 && y > 525 && y < 550;
  });
  assert.ok(chip.every((at) => (pixels[at] ?? 0) >= 11));
  assert.ok(
    chip.some((at) => pixels[at] !== pixels[chip[0] ?? 0]),
    'there is a word',
  );
});

test('text stays within the margins', () => {
  const long = 'A very long title that nobody should write but somebody does all the same '.repeat(
    9,
  );
  const path = '/a/{very}/long'.repeat(40);
  const pixels = pixelsOf(draw({ title: long, operation: { method: 'OPTIONS', path } }));
  const empty = pixelsOf(draw({ title: '', operation: undefined }));
  for (const [at, color] of pixels.entries()) {
    if (color === empty[at]) continue;
    const [x, y] = [at % PREVIEW_SIZE.width, Math.floor(at / PREVIEW_SIZE.width)];
    assert.ok(x >= 75 && x <= 1_125 && y > 130 && y < 600, `${x}, ${y}`);
  }
});

const { fonts } = letterAtlas();

test('lines break at spaces and slashes, and what is too long is cut', () => {
  const { text, mono } = fonts;
  assert.deepEqual(linesOf('one two', text, 1_000, 3), ['one two']);
  assert.deepEqual(linesOf('one two three', text, 100, 3), ['one', 'two', 'three']);
  assert.deepEqual(linesOf('one two three four', text, 100, 2), ['one', 'two…']);
  assert.deepEqual(linesOf('/pets/{petId}/photos', mono, 15 * 18, 2), ['/pets/{petId}/', 'photos']);
  assert.deepEqual(linesOf('x'.repeat(30), mono, 10 * 18, 2), [`${'x'.repeat(9)}…`]);
  assert.deepEqual(linesOf('', text, 100, 3), []);
  assert.deepEqual(linesOf('one', text, 100, 0), []);
});

test('no line is wider than its place, and none is more than wanted, whatever the text', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'aWi /{}_-.…é'), maxLength: 120 });
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 60, max: 600 }),
      fc.integer({ min: 0, max: 3 }),
      (text, width, most) => {
        const lines = linesOf(drawable(text, fonts.display), fonts.display, width, most);
        assert.ok(lines.length <= most);
        for (const line of lines) assert.ok(layOut(line, fonts.display).width <= width, line);
      },
    ),
  );
});
