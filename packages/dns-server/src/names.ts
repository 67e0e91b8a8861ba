// Names as messages have them (RFC 1035, section 3.1): each label with its length in front, and a zero at the end.

/** A label's and a name's most bytes, the name's with all lengths and its zero (RFC 1035, section 2.3.4). */
export const MAX_LABEL_BYTES = 63;
export const MAX_NAME_BYTES = 255;

/**
 * A name's bytes. `text`: labels of ASCII letters, digits, `-`, `_` or `*` with dots between them and, if wanted, one
 * at the end. Throws RangeError for any other.
 */
export function encodeName(text: string): Buffer {
  const labels = text.replace(/\.$/, '').split('.');
  if (labels.some((label) => !/^(?:[a-z0-9_-]{1,63}|\*)$/i.test(label)))
    throw new RangeError(`${JSON.stringify(text)} is not a name.`);
  const bytes = Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.alloc(1),
  ]);
  if (bytes.length > MAX_NAME_BYTES)
    throw new RangeError(`${JSON.stringify(text)} is longer than a name may be.`);
  return bytes;
}

/**
 * The form in which names are compared: without regard to the case of ASCII letters (RFC 4343). Lengths are at most 63,
 * and so no letters. Letters of Latin-1 change their case as well, which confuses no two names of a zone: its own names
 * are ASCII.
 */
export function nameKey(wire: Buffer): string {
  return wire.toString('latin1').toLowerCase();
}

/** Where a name's labels begin, in bytes from the name's beginning. The root has none. */
export function labelOffsets(wire: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = 0; wire[at]; at += 1 + (wire[at] as number)) offsets.push(at);
  return offsets;
}
