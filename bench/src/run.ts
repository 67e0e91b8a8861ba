import { AssertionError } from 'node:assert';
import { BenchError } from './failure.ts';

/** Runs a program of this folder to its end: one sentence and exit code 1 for what a person can mend. */
export async function main(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    const isBadOption = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    const isKnown = error instanceof BenchError || error instanceof AssertionError;
    if (!isKnown && !isBadOption) throw error;
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

/** Reads a whole number from 1 on. */
export function positive(option: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new BenchError(`${option} must be a whole number from 1 on; got ${JSON.stringify(text)}.`);
}

/** Reads a list with commas between; all that are allowed when there is none. */
export function subset<Name extends string>(
  option: string,
  text: string | undefined,
  allowed: readonly Name[],
): readonly Name[] {
  if (text === undefined) return allowed;
  return text.split(',').map((wanted) => {
    const name = allowed.find((candidate) => candidate === wanted);
    if (name === undefined) {
      throw new BenchError(`${option} knows ${allowed.join(', ')}; got ${JSON.stringify(wanted)}.`);
    }
    return name;
  });
}
