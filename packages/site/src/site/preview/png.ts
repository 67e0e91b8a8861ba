import { crc32, deflateSync, inflateSync } from 'node:zlib';

// PNG (ISO/IEC 15948) as far as previews need it: 16 colours or levels of grey, two pixels a byte, no filters.

export interface IndexedImage {
  /** In pixels, an even number. */
  readonly width: number;
  readonly height: number;
  /** Sixteen colours, `rgb` each; undefined: sixteen levels of grey. */
  readonly palette: Uint8Array | undefined;
  /** For each row a byte 0 and then its pixels, the left one of two in the higher half of a byte. */
  readonly rows: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const COLOUR_TYPES = { grey: 0, indexed: 3 } as const;

/** In bytes: the signature, and the header's chunk with its length, name and checksum. */
const PIXELS_START = SIGNATURE.length + 25;

/** The bytes of a row with the one in front of it. */
export const rowBytes = (width: number): number => 1 + width / 2;

/** `level`: of zlib, 1 for fast to 9 for small. */
export function encodePng(image: IndexedImage, level: number): Buffer {
  const { width, height, palette, rows } = image;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 4;
  header[9] = palette ? COLOUR_TYPES.indexed : COLOUR_TYPES.grey;
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(palette ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', deflateSync(rows, { level })),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(name: string, data: Uint8Array): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(name, 4, 'latin1');
  made.set(data, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}

/** The rows of an image in levels of grey that `encodePng` made. */
export function decodeGrey(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  return inflateSync(
    bytes.subarray(PIXELS_START + 8, PIXELS_START + 8 + bytes.readUInt32BE(PIXELS_START)),
  );
}
