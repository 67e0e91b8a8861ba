import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { variablesOf } from '@petstore/test-support/documents.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { type Config, readConfig } from '../../src/config.ts';

/** A setting, as the configuration itself tells it when it is asked. */
export interface Variable {
  readonly name: string;
  /** Whether a value stands for it where it is unset. */
  readonly hasDefault: boolean;
  /** The smallest and the largest integer; undefined for what is no integer. */
  readonly bounds: readonly [number, number] | undefined;
  /** The words that it may be; none for what is no word. */
  readonly words: readonly string[];
}

/** No setting takes it, but those that take any text. */
const NONSENSE = '\u0000';

/** Every variable that the configuration reads, and those of OpenTelemetry in the source. */
export async function allVariables(): Promise<Set<string>> {
  const names = variablesOf(readConfig);
  for (const path of globSync('apps/petstore/src/**/*.ts', { cwd: ROOT })) {
    const source = await readFile(join(ROOT, path), 'utf8');
    for (const [, name = ''] of source.matchAll(/['"`]((?:PETSTORE|OTEL)_[A-Z0-9_]+)['"`]/g)) {
      names.add(name);
    }
  }
  return names;
}

/** What is known of each variable of the configuration, found by trying values. */
export function describeVariables(): Variable[] {
  return [...variablesOf(readConfig)].map((name) => {
    const refusal = refusalOf({ [name]: NONSENSE }) ?? '';
    const [, min, max] = /must be an integer from (\d+) to (\d+)/.exec(refusal) ?? [];
    const words = /must be one of ([\w, -]+); got/.exec(refusal)?.[1]?.split(', ') ?? [];
    return {
      name,
      hasDefault: min !== undefined || words.length > 0 || isTextWithDefault(name),
      bounds: min && max ? [Number(min), Number(max)] : undefined,
      words,
    };
  });
}

/** Whether a text takes the place of another one, and not of nothing. */
function isTextWithDefault(name: string): boolean {
  if (refusalOf({ [name]: 'x' }) !== undefined) return false;
  const unset = readConfig({});
  const set = readConfig({ [name]: 'x' });
  const members = Object.keys(unset) as (keyof Config)[];
  return members.some((key) => set[key] === 'x' && unset[key] !== undefined);
}

function refusalOf(env: Record<string, string>): string | undefined {
  try {
    readConfig(env);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
