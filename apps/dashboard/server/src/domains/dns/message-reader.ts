/** RFC 1035, section 2.3.4. */
const MAX_NAME_BYTES = 255;

/**
 * How many bytes of names are read in one message, counting those behind a pointer each time: many short pointers to a
 * long name would cost far more than their length.
 */
const MAX_BYTES_OF_NAMES = 4_096;

const POINTER = 0xc0;

/** Reads a DNS message from front to back. Each method throws a RangeError where the message is malformed. */
export interface MessageReader {
  /** In lower case without a last dot; a dot within a label, and a byte that is not ASCII, as `\DDD`. */
  name(): string;
  /** The same as bytes without pointers, in lower case, as signatures are made over it (RFC 4034, section 6.2). */
  wireName(): Buffer;
  uint8(): number;
  uint16(): number;
  uint32(): number;
  bytes(length: number): Buffer;
  /** The position of the next byte. */
  readonly offset: number;
}

export function messageReader(message: Buffer, start: number): MessageReader {
  let offset = start;
  let bytesOfNames = 0;
  const names = new Map<number, string>();

  function take(length: number): number {
    const at = offset;
    if (at + length > message.length) throw new RangeError('the message ends too early');
    offset += length;
    return at;
  }

  /** The labels from a position on, and the position after them. */
  function labelsAt(from: number): { labels: string[]; end: number } {
    const labels: string[] = [];
    let at = from;
    let end: number | undefined;
    for (let length = 0; length <= MAX_NAME_BYTES; ) {
      const size = message.readUInt8(at);
      if ((size & POINTER) === POINTER) {
        end ??= at + 2;
        const to = message.readUInt16BE(at) & 0x3fff;
        // RFC 1035, section 4.1.4: a pointer leads to a prior occurrence. So pointers cannot form a loop.
        if (to >= at) throw new RangeError('a pointer leads forward');
        at = to;
        bytesOfNames += 2;
      } else {
        if (size > 63) throw new RangeError('a label of an unknown kind');
        bytesOfNames += size + 1;
        length += size + 1;
        if (size === 0) return { labels, end: end ?? at + 1 };
        if (at + 1 + size > message.length) throw new RangeError('a label ends too late');
        labels.push(message.toString('latin1', at + 1, at + 1 + size));
        at += 1 + size;
      }
      if (bytesOfNames > MAX_BYTES_OF_NAMES) throw new RangeError('too many names');
    }
    throw new RangeError('a name is too long');
  }

  return {
    name() {
      // Most names of an answer are pointers to the same one.
      const isPointer = message.readUInt8(offset) >= POINTER;
      const at = isPointer ? message.readUInt16BE(offset) & 0x3fff : offset;
      const known = isPointer ? names.get(at) : undefined;
      if (known !== undefined) {
        take(2);
        return known;
      }
      const { labels, end } = labelsAt(offset);
      offset = end;
      const name = plainName(labels);
      names.set(at, name);
      return name;
    },
    wireName() {
      const { labels, end } = labelsAt(offset);
      offset = end;
      const parts = labels.map((label) => Buffer.from(label.toLowerCase(), 'latin1'));
      return Buffer.concat([
        ...parts.flatMap((part) => [Buffer.of(part.length), part]),
        Buffer.alloc(1),
      ]);
    },
    uint8: () => message.readUInt8(take(1)),
    uint16: () => message.readUInt16BE(take(2)),
    uint32: () => message.readUInt32BE(take(4)),
    bytes(length) {
      const at = take(length);
      return message.subarray(at, at + length);
    },
    get offset() {
      return offset;
    },
  };
}

/** RFC 4343: names ignore case; RFC 1035, section 5.1: bytes that cannot be shown are escaped. */
function plainName(labels: readonly string[]): string {
  const name = labels.join('.').toLowerCase();
  const isPlain = !/[^\x21-\x7e]/.test(name) && !labels.some((label) => label.includes('.'));
  return isPlain ? name : labels.map(escaped).join('.').toLowerCase();
}

function escaped(label: string): string {
  return label.replace(
    /[^\x21-\x2d\x2f-\x7e]/g,
    (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`,
  );
}
