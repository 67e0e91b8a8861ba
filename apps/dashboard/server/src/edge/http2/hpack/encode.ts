import { encodeHuffman } from './huffman.ts';
import { STATIC_TABLE } from './static-table.ts';

/** The first entry with each name, and with each name and value. */
const names = new Map<string, number>();
const fields = new Map<string, number>();
STATIC_TABLE.forEach(([name, value], at) => {
  if (!names.has(name)) names.set(name, at + 1);
  if (value !== '') fields.set(`${name}: ${value}`, at + 1);
});

/**
 * Encodes a header block that refers to the static table alone, so the same bytes are right on every connection at any
 * time. Names in lower case and values in turn, in Latin-1. Throws RangeError for other characters.
 */
export function encodeHeaders(list: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]];
    const field = fields.get(`${name}: ${value}`);
    if (field !== undefined) {
      parts.push(integer(0x80, 7, field));
      continue;
    }
    const known = names.get(name);
    // Without indexing.
    parts.push(integer(0, 4, known ?? 0));
    if (known === undefined) parts.push(string(name));
    parts.push(string(value));
  }
  return Buffer.concat(parts);
}

function string(text: string): Buffer {
  const bytes = encodeHuffman(text);
  if (bytes.length >= text.length) {
    return Buffer.concat([integer(0, 7, text.length), Buffer.from(text, 'latin1')]);
  }
  return Buffer.concat([integer(0x80, 7, bytes.length), bytes]);
}

function integer(first: number, bits: number, value: number): Buffer {
  const max = 2 ** bits - 1;
  if (value < max) return Buffer.from([first | value]);
  const bytes = [first | max];
  let rest = value - max;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
