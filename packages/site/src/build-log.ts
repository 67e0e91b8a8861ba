// What a build tells whoever sent the files: lines while it works, and the problems that they have to mend.

/** A problem in what was sent, for its author to fix. */
export interface BuildProblem {
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string;
  /** The place: a JSON pointer into the document (`/paths/~1pets/get`), or a file (`guides/start.md`). */
  readonly path: string;
  /** The line in the document or file, 1 for the first; null where there is none. */
  readonly line: number | null;
}

/** A problem of an upload as a whole, or of one of its files. */
export const problemOf = (message: string, path = ''): BuildProblem => ({
  message,
  path,
  line: null,
});

export type BuildLog = (line: { level: 'info' | 'warning' | 'error'; message: string }) => void;

/** The files that a site is made of, by path: `docs.yaml`, `guides/start.md`. */
export type SourceFiles = ReadonlyMap<string, Uint8Array>;
