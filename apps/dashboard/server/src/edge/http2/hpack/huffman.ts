/**
 * How many bits each byte's code has, and last that of the end of a string, as digits to base 36 (RFC 7541,
 * appendix B). The codes themselves follow: shorter ones first, and those of a length in the order of their bytes.
 */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6' +
  'f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmnlmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const END = 256;
const ROOT = 0;

/** A code and its length, of each byte. */
const codes = new Uint32Array(END + 1);
const lengths = Uint8Array.from(LENGTHS, (digit) => Number.parseInt(digit, 36));

/** The tree of the codes: the two nodes below each one. A leaf is the symbol's number, minus 1, inverted. */
const below: [number, number][] = [[ROOT, ROOT]];
/** Nodes that up to seven bits of padding, all ones, lead to. */
const isPadding = [true];

const sorted = Array.from(lengths, (length, symbol) => ({ length, symbol })).sort(
  (a, b) => a.length - b.length || a.symbol - b.symbol,
);
let code = 0;
let lengthBefore = 0;
for (const { length, symbol } of sorted) {
  code *= 2 ** (length - lengthBefore);
  lengthBefore = length;
  codes[symbol] = code;
  let node = ROOT;
  let isAllOnes = true;
  for (let bit = length - 1; bit >= 0; bit--) {
    const side = Math.floor(code / 2 ** bit) % 2 === 1 ? 1 : 0;
    isAllOnes &&= side === 1;
    const branches = below[node] as [number, number];
    if (bit === 0) branches[side] = ~symbol - 1;
    else {
      if (branches[side] === ROOT) {
        branches[side] = below.push([ROOT, ROOT]) - 1;
        isPadding.push(isAllOnes && length - bit < 8);
      }
      node = branches[side];
    }
  }
  code++;
}

/**
 * What four more bits do at each node: the node after them, and the byte that was completed on the way. No code is
 * shorter than five bits, so it is one byte at most. -1: none; END: the string is invalid.
 */
const nodeAfter = new Uint8Array(below.length * 16);
const byteOf = new Int16Array(below.length * 16).fill(-1);
for (let from = 0; from < below.length; from++) {
  for (let bits = 0; bits < 16; bits++) {
    let node = from;
    for (let bit = 3; bit >= 0; bit--) {
      const next = below[node]?.[(bits >> bit) & 1] as number;
      if (next >= 0) node = next;
      else {
        byteOf[from * 16 + bits] = -next - 2;
        node = ROOT;
      }
    }
    nodeAfter[from * 16 + bits] = node;
  }
}

let decoded = Buffer.alloc(1024);

/** Decodes a string, in Latin-1. undefined where it is invalid. Each byte of it takes five bits at least. */
export function decodeHuffman(bytes: Buffer, from: number, to: number): string | undefined {
  const longest = Math.ceil(((to - from) * 8) / 5);
  if (decoded.length < longest) decoded = Buffer.alloc(longest);
  let node = ROOT;
  let length = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    const high = node * 16 + (byte >> 4);
    const first = byteOf[high] as number;
    if (first >= 0) {
      if (first === END) return undefined;
      decoded[length++] = first;
    }
    const low = (nodeAfter[high] as number) * 16 + (byte & 15);
    const second = byteOf[low] as number;
    if (second >= 0) {
      if (second === END) return undefined;
      decoded[length++] = second;
    }
    node = nodeAfter[low] as number;
  }
  return isPadding[node] ? decoded.toString('latin1', 0, length) : undefined;
}

/** Encodes a string of Latin-1. Throws RangeError for another. */
export function encodeHuffman(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const symbol = text.charCodeAt(at);
    const length = symbol < END ? lengths[symbol] : undefined;
    if (length === undefined) throw new RangeError('a header with a character beyond Latin-1');
    // 7 bits of before and 30 of this one are more than 32.
    bits = bits * 2 ** length + (codes[symbol] as number);
    count += length;
    while (count >= 8) {
      count -= 8;
      const byte = Math.floor(bits / 2 ** count);
      bytes.push(byte);
      bits -= byte * 2 ** count;
    }
  }
  if (count > 0) bytes.push(((bits + 1) << (8 - count)) - 1);
  return Buffer.from(bytes);
}
