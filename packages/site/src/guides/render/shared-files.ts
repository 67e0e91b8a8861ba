import type { SourceFiles } from '../../build-log.ts';

/** Files in memory that threads share: each of them would otherwise have a copy. */
export interface SharedFiles {
  readonly memory: SharedArrayBuffer;
  /** Where each file begins and ends in it. */
  readonly places: ReadonlyMap<string, readonly [start: number, end: number]>;
}

/** Puts files into shared memory. */
export function shareFiles(files: SourceFiles): SharedFiles {
  const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  const memory = new SharedArrayBuffer(total);
  const bytes = new Uint8Array(memory);
  const places = new Map<string, readonly [start: number, end: number]>();
  let start = 0;
  for (const [path, content] of files) {
    bytes.set(content, start);
    places.set(path, [start, start + content.length]);
    start += content.length;
  }
  return { memory, places };
}

/** The content of a shared file; undefined where there is none. */
export function sharedFile({ memory, places }: SharedFiles, path: string): Uint8Array | undefined {
  const place = places.get(path);
  return place && new Uint8Array(memory, place[0], place[1] - place[0]);
}
