import { AssertionError } from 'node:assert';
import { parseArgs } from 'node:util';
import { emptyFolder } from './data.ts';
import { BenchError } from './failure.ts';
import { describeMachine, type Machine, pinCores } from './machine.ts';
import { stopServers } from './processes.ts';
import { publish } from './report.ts';
import type { Results } from './results.ts';

/**
 * Runs a program of this folder to its end, and then ends the servers that it started: one sentence and
 * exit code 1 for what a person can mend.
 */
export async function main(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    const isBadOption = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    const isKnown = error instanceof BenchError || error instanceof AssertionError;
    if (!isKnown && !isBadOption) throw error;
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await stopServers();
  }
}

/**
 * A run from its command line to docs/performance.md: `measure` gives the results that are kept under `name`. Server and
 * client have a core each, unless they are to share `all`.
 */
export async function measurement<Name extends keyof Results, Count extends string>(
  name: Name,
  help: string,
  counts: Readonly<Record<Count, number>>,
  measure: (
    options: Record<Count, number>,
    run: { readonly machine: Machine; readonly folder: string },
  ) => Promise<Results[Name]>,
  cores: 'each' | 'all' = 'each',
): Promise<void> {
  await main(async () => {
    const options = readOptions(help, counts, ['data']);
    if (cores === 'each') pinCores();
    const machine = describeMachine();
    const folder = emptyFolder(name, options.data);
    publish(name, await measure(options, { machine, folder }));
  });
}

/**
 * Reads the command line: whole numbers from 1 on, each with its default, and texts that may be left out. Shows
 * the help and ends where it is asked for.
 */
export function readOptions<Count extends string, Text extends string>(
  help: string,
  counts: Readonly<Record<Count, number>>,
  texts: readonly Text[],
): Record<Count, number> & Partial<Record<Text, string>> {
  const names = [...Object.keys(counts), ...texts];
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    process.exit();
  }
  const given: Record<string, string | boolean | undefined> = values;
  const numbers = Object.entries<number>(counts).map(([name, usual]) => {
    const text = given[name] ?? usual;
    return [name, positive(`--${name}`, String(text))];
  });
  return { ...given, ...Object.fromEntries(numbers) };
}

/** Reads a whole number from 1 on. */
function positive(option: string, text: string): number {
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

/** A sample of each in turns, `rounds` times. The round before the first is the warm-up, and not kept. */
export async function inTurns<const Those extends readonly unknown[], Sample>(
  those: Those,
  rounds: number,
  sample: (one: Those[number], isWarmUp: boolean) => Promise<Sample>,
): Promise<{ -readonly [At in keyof Those]: Sample[] }> {
  const samples = those.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, one] of those.entries()) {
      const taken = await sample(one, round === 0);
      if (round > 0) samples[at]?.push(taken);
    }
  }
  return samples as { -readonly [At in keyof Those]: Sample[] };
}
