import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CompressionError, HeaderDecoder } from '../../../server/src/edge/http2/hpack/decode.ts';
import { encodeHeaders } from '../../../server/src/edge/http2/hpack/encode.ts';

const MAX = 16_384;
const decoderOf = (...blocks: string[]) => {
  const decoder = new HeaderDecoder();
  return blocks.map((block) => decoder.decode(Buffer.from(block.replaceAll(' ', ''), 'hex'), MAX));
};

const REQUEST = [':method', 'GET', ':scheme', 'http', ':path', '/'];

test('the examples of RFC 7541 are decoded: requests, with and without Huffman, and evictions', () => {
  const wanted = [
    [...REQUEST, ':authority', 'www.example.com'],
    [...REQUEST, ':authority', 'www.example.com', 'cache-control', 'no-cache'],
    [
      ...[':method', 'GET', ':scheme', 'https', ':path', '/index.html'],
      ...[':authority', 'www.example.com', 'custom-key', 'custom-value'],
    ],
  ];
  // Appendix C.3 and C.4.
  const plain = [
    '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
    '8286 84be 5808 6e6f 2d63 6163 6865',
    '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
  ];
  const huffman = [
    '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
    '8286 84be 5886 a8eb 1064 9cbf',
    '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
  ];
  assert.deepEqual(decoderOf(...plain), wanted);
  assert.deepEqual(decoderOf(...huffman), wanted);
  // A table of 64 bytes holds one entry of 52: the second takes the place of the first.
  assert.deepEqual(decoderOf('3f21', '4001 6101 62', '4001 6301 64', 'be'), [
    [],
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ]);
});

test('blocks that cannot be decoded are errors, whatever their bytes', () => {
  for (const [block, why] of [
    ['80', 'entry 0'],
    ['be', 'an entry that is not there'],
    ['3fe21f 82', 'a table larger than 4096'],
    ['82 20', 'a new size behind a field'],
    ['40', 'no name'],
    ['0003 6161', 'a name that is cut off'],
    ['0001 6181 00', 'padding of zeros'],
    ['0001 6184 ffffffff', 'the end of a string within it'],
    ['0001 6182 ffff', 'more than seven bits of padding'],
    ['ffffffffffff7f', 'a number beyond bounds'],
  ]) {
    assert.throws(() => decoderOf(block as string), CompressionError, why);
  }
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (blocks) => {
      const decoder = new HeaderDecoder();
      try {
        for (const block of blocks) decoder.decode(Buffer.from(block), MAX);
      } catch (error) {
        assert.ok(error instanceof CompressionError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a list beyond the limit is not kept, and what it brought is known afterwards', () => {
  const decoder = new HeaderDecoder();
  const long = Buffer.concat([
    Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
    Buffer.alloc(4000, 'x'),
  ]);
  assert.equal(decoder.decode(long, MAX)?.[1]?.length, 4_000);
  // Each byte stands for 4 KB.
  assert.equal(decoder.decode(Buffer.alloc(10_000, 0xbe), MAX), undefined);
  assert.equal(decoder.decode(Buffer.from([0xbe]), MAX)?.[1]?.length, 4_000);
});

test('what is encoded is decoded to the same', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  });
  const names = fc.constantFrom(':status', 'content-type', 'date', 'x-other', 'link');
  fc.assert(
    fc.property(fc.array(fc.tuple(names, text)), (fields) => {
      const list = fields.flat();
      assert.deepEqual(new HeaderDecoder().decode(encodeHeaders(list), 1e9), list);
    }),
  );
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
  const list = [':status', '200', 'x-all', all, 'x-long', 'a'.repeat(70_000)];
  assert.deepEqual(new HeaderDecoder().decode(encodeHeaders(list), 1e9), list);
  assert.throws(() => encodeHeaders(['location', '/\u0100']), RangeError);
});
