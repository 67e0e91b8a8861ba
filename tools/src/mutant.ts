/** A small change of a source that a test should notice: the text from `start` to `end` is replaced. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A source with a mutant in it. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}
