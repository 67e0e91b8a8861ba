import { decodeHuffman } from './huffman.ts';
import { STATIC_TABLE } from './static-table.ts';

/** What a client may let us remember, in bytes: the default, which we tell no other (RFC 9113, section 6.5.2). */
const TABLE_BYTES = 4_096;

/** What an entry counts besides its name and value (RFC 7541, section 4.1). */
const ENTRY_BYTES = 32;

/** A length or a number of an entry is never larger. */
const MAX_INTEGER = 2 ** 24;

/** The block cannot be decoded: from here on, nor can any other of its connection (RFC 9113, section 4.3). */
export class CompressionError extends Error {
  override name = 'CompressionError';
}

const NOTHING = Buffer.alloc(0);

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly size: number;
}

const entryOf = (name: string, value: string): Entry => ({
  ...{ name, value },
  size: name.length + value.length + ENTRY_BYTES,
});

const STATIC_ENTRIES = STATIC_TABLE.map(([name, value]) => entryOf(name, value));

/** Decodes the header blocks of one connection, in their order (RFC 7541). */
export class HeaderDecoder {
  /** The newest is the last one. Each counts 32 bytes at least, so they are few. */
  readonly #entries: Entry[] = [];
  #size = 0;
  #maxSize = TABLE_BYTES;

  #block: Buffer = NOTHING;
  #at = 0;

  /**
   * Names and values in turn, in Latin-1. undefined where the list counts more than `maxBytes`: it is decoded
   * nevertheless, since later blocks may refer to what is in it. Throws CompressionError.
   */
  decode(block: Buffer, maxBytes: number): string[] | undefined {
    this.#block = block;
    this.#at = 0;
    const list: string[] = [];
    let left = maxBytes;
    let mayResize = true;
    while (this.#at < block.length) {
      const byte = block[this.#at] as number;
      if ((byte & 0xe0) === 0x20) {
        if (!mayResize) throw new CompressionError('a new size behind a field');
        this.#resize(this.#integer(5));
        continue;
      }
      mayResize = false;
      const entry = byte & 0x80 ? this.#entry(this.#integer(7)) : this.#literal(byte);
      left -= entry.size;
      if (left >= 0) list.push(entry.name, entry.value);
    }
    // A connection without requests holds no bytes.
    this.#block = NOTHING;
    return left >= 0 ? list : undefined;
  }

  #literal(byte: number): Entry {
    const isKept = (byte & 0x40) !== 0;
    const number = this.#integer(isKept ? 6 : 4);
    const name = number === 0 ? this.#string() : this.#entry(number).name;
    const entry = entryOf(name, this.#string());
    if (isKept) this.#add(entry);
    return entry;
  }

  #entry(number: number): Entry {
    const entry =
      number <= STATIC_ENTRIES.length
        ? STATIC_ENTRIES[number - 1]
        : this.#entries.at(STATIC_ENTRIES.length - number);
    if (!entry) throw new CompressionError('no entry of that number');
    return entry;
  }

  #add(entry: Entry): void {
    this.#shrink(this.#maxSize - entry.size);
    if (entry.size > this.#maxSize) return;
    this.#entries.push(entry);
    this.#size += entry.size;
  }

  #resize(size: number): void {
    if (size > TABLE_BYTES) throw new CompressionError('a table beyond the limit');
    this.#maxSize = size;
    this.#shrink(size);
  }

  #shrink(size: number): void {
    while (this.#size > size) {
      const oldest = this.#entries.shift();
      if (!oldest) return;
      this.#size -= oldest.size;
    }
  }

  /** An integer behind the other bits of its first byte (RFC 7541, section 5.1). */
  #integer(bits: number): number {
    const max = 2 ** bits - 1;
    let value = this.#byte() & max;
    if (value < max) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (value > MAX_INTEGER || shift > 21) throw new CompressionError('a number too large');
      if (byte < 0x80) return value;
    }
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new CompressionError('the block ends too early');
    return byte;
  }

  #string(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#block.length) throw new CompressionError('the block ends too early');
    if (!isHuffman) return this.#block.toString('latin1', from, this.#at);
    const text = decodeHuffman(this.#block, from, this.#at);
    if (text === undefined) throw new CompressionError('an invalid string');
    return text;
  }
}
