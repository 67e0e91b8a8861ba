import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { pack } from 'tar-stream';

type Files = Iterable<readonly [string, Uint8Array]> | AsyncIterable<readonly [string, Uint8Array]>;

/** A .tar.gz, the same for the same files, by `gzip`. A file is read when those before it have been packed. */
export function packFiles(files: Files, gzip: Gzip = createGzip()): Readable {
  const tar = pack();
  // Whoever reads the archive gets an error of either.
  pipeline(tar, gzip).catch(() => undefined);
  feed(tar, files).catch((error) => {
    gzip.destroy(error);
    tar.destroy();
  });
  return gzip;
}

async function feed(tar: ReturnType<typeof pack>, files: Files): Promise<void> {
  for await (const [name, bytes] of files) {
    const header = { name, size: bytes.length, mtime: new Date(0), mode: 0o644 };
    await pipeline(Readable.from([Buffer.from(bytes)]), tar.entry(header));
  }
  tar.finalize();
}
