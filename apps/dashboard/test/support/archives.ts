import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface TarEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Uint8Array;
}

/** A tar archive, not compressed. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content, ...header } of entries) {
    if (content === undefined) archive.entry(header);
    else archive.entry(header, Buffer.from(content));
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const tarGzOf = async (entries: readonly TarEntry[]): Promise<Buffer> =>
  gzipSync(await tarOf(entries));

/** An entry of a zip archive, and the lies that its headers tell. */
export interface ZipEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  readonly stored?: true;
  /** Bytes that are put behind the compressed content, as part of it. */
  readonly trailer?: Uint8Array;
  readonly flags?: number;
  readonly method?: number;
  readonly mode?: number;
  readonly size?: number;
  readonly crc?: number;
  /** The name in the local header. */
  readonly localName?: string;
  /** Where the directory says that the entry is. */
  readonly offset?: number;
  readonly extra?: Uint8Array;
}

/** A zip archive (APPNOTE 6.3). `change` may alter the last record. */
export function zipOf(
  entries: readonly ZipEntry[],
  change: (end: Buffer) => Buffer = (end) => end,
): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const name = Buffer.from(entry.name);
    const localName = Buffer.from(entry.localName ?? entry.name);
    const packed = Buffer.concat([
      entry.stored ? content : deflateRawSync(content),
      entry.trailer ?? Buffer.alloc(0),
    ]);
    // From the flags to the length of the name: the same in both headers.
    const common = Buffer.alloc(22);
    common.writeUInt16LE(entry.flags ?? 0x800, 0);
    common.writeUInt16LE(entry.method ?? (entry.stored ? 0 : 8), 2);
    common.writeUInt32LE(entry.crc ?? crc32(content), 8);
    common.writeUInt32LE(packed.length, 12);
    common.writeUInt32LE(entry.size ?? content.length, 16);
    common.writeUInt16LE(name.length, 20);
    const local = Buffer.alloc(8);
    common.copy(local, 6, 0, 2);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    const localCommon = Buffer.from(common);
    localCommon.writeUInt16LE(localName.length, 20);
    const body = Buffer.concat([
      local.subarray(0, 6),
      localCommon,
      Buffer.alloc(2),
      localName,
      packed,
    ]);
    const extra = Buffer.from(entry.extra ?? []);
    const head = Buffer.alloc(6);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(3 << 8, 4);
    const tail = Buffer.alloc(16);
    tail.writeUInt16LE(extra.length, 0);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 8);
    tail.writeUInt32LE(entry.offset ?? offset, 12);
    directory.push(Buffer.concat([head, Buffer.from([20, 0]), common, tail, name, extra]));
    bodies.push(body);
    offset += body.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, change(end)]);
}
