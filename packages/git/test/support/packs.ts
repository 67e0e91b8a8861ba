import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

// Packs, byte by byte: https://git-scm.com/docs/pack-format

/** The beginning of a pack of so many objects. */
export function packHead(objects: number): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects, 8);
  return head;
}

/** A pack with the hash at its end. */
export function sealed(pack: Buffer): Buffer {
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

const TYPES = { blob: 3, change: 7 };

/** What stands before an object in a pack. */
export function objectHead(type: keyof typeof TYPES, size: number): Buffer {
  const first = (TYPES[type] << 4) | (size % 16) | (size >= 16 ? 0x80 : 0);
  return Buffer.concat(
    [Buffer.from([first]), size >= 16 ? number(Math.floor(size / 16)) : ''].map((part) =>
      Buffer.from(part as string),
    ),
  );
}

/**
 * A pack with a blob, and another one that is a change of it: the blob so many times. `blob` and `hash`: their hashes.
 */
export function packOfChange(
  blob: Buffer,
  times: number,
): { pack: Buffer; blob: string; hash: string } {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(blob.length);
  // Copies from the beginning; its length has three bytes.
  const copy = Buffer.concat([Buffer.from([0x80 | 0x70]), size.subarray(0, 3)]);
  const change = Buffer.concat([
    ...[number(blob.length), number(times * blob.length)],
    ...Array<Buffer>(times).fill(copy),
  ]);
  const pack = sealed(
    Buffer.concat([
      ...[packHead(2), objectHead('blob', blob.length), deflateSync(blob)],
      ...[objectHead('change', change.length), hashOf(blob, 1), deflateSync(change)],
    ]),
  );
  const [own, hash] = [hashOf(blob, 1), hashOf(blob, times)];
  return { pack, blob: own.toString('hex'), hash: hash.toString('hex') };
}

function hashOf(blob: Buffer, times: number): Buffer {
  const hash = createHash('sha1').update(`blob ${times * blob.length}\0`);
  for (let n = 0; n < times; n += 1) hash.update(blob);
  return hash.digest();
}

/** Seven bits in a byte, the lowest first. */
function number(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
}
