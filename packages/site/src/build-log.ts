import type { Rule } from './rules.ts';

// What a build tells whoever sent the files: lines while it works, and what they have to fix.

/** A problem in what was sent, for its author to fix. */
export interface BuildProblem {
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string;
  /** The place: a JSON pointer into the document (`/paths/~1pets/get`), or a file (`guides/start.md`). */
  readonly path: string;
  /** The file that a pointer is into, by its path in the upload; absent where the upload is the document. */
  readonly file?: string;
  /** The line in the document or file, 1 for the first; null where there is none. */
  readonly line: number | null;
}

/** A problem of an upload as a whole, or of one of its files. */
export const problemOf = (message: string, path = ''): BuildProblem => ({
  message,
  path,
  line: null,
});

/** Something in what was sent that does not keep it from being published. */
export interface Finding {
  readonly rule: Rule;
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string;
  /** The file, by its path in the upload; empty where it is the upload as a whole. */
  readonly file: string;
  /** A JSON pointer into the file (`/paths/~1pets/get`); empty where there is none. */
  readonly path: string;
  /** The line in the file, 1 for the first; null where there is none. */
  readonly line: number | null;
}

/** A line of a build's log, or a finding, whose members may be getters: they are asked only where it is kept. */
export type BuildLine = { readonly message: string } | FoundLine;

interface FoundLine extends Finding {
  /** A sentence for the end of the message, with what was probably meant. */
  readonly hint?: string | undefined;
}

export type BuildLog = (line: BuildLine) => void;

/** Nobody would read more findings of a rule; the rest is counted. */
const MAX_OF_RULE = 50;

/** Passes on what is new of what is logged, and of findings as many as somebody reads. `end` counts the others. */
export function boundedLog(log: BuildLog): { readonly log: BuildLog; readonly end: () => void } {
  const told = new Set<string>();
  const counts = new Map<Rule, number>();
  return {
    log(line) {
      if (!('rule' in line)) return log(line);
      const { rule } = line;
      const key = JSON.stringify([rule, line.file, line.path, line.message]);
      if (told.has(key)) return;
      told.add(key);
      const found = (counts.get(rule) ?? 0) + 1;
      counts.set(rule, found);
      if (found > MAX_OF_RULE) return;
      const { message, file, path, line: at, hint } = line;
      const whole = [message, hint].filter(Boolean).join(' ');
      log({ rule, message: whole, file, path, line: at });
    },
    end() {
      for (const [rule, found] of counts) {
        const more = found - MAX_OF_RULE;
        // Of very many not all are looked for.
        const message = `And ${more > 1_000 ? 'more than 1,000' : more} others of this rule.`;
        if (more > 0) log({ rule, message, file: '', path: '', line: null });
      }
    },
  };
}

/** The files that a site is made of, by path: `docs.yaml`, `guides/start.md`. */
export type SourceFiles = ReadonlyMap<string, Uint8Array>;
