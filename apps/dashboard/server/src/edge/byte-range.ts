/** The first byte and the one behind the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a Range header asks for, of a content of `size` bytes (RFC 9110, section 14.1.2);
 * `unsatisfiable` where it begins behind the end. undefined where the whole is to be sent: several
 * parts, other units, what is no range.
 */
export function byteRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(header) ?? [];
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length > 0 ? { start: size - length, end: size } : 'unsatisfiable';
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
