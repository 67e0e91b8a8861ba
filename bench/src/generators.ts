import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { emptyFolder, seedPetstore } from './data.ts';
import { BenchError } from './failure.ts';
import { LINTERS, RUNS, type Run, VERSIONS } from './generator-runs.ts';
import { RESULTS } from './paths.ts';
import { main, readOptions, subset } from './run.ts';
import { startService } from './service.ts';
import { table } from './table.ts';

const HELP = `npm run bench:generators -- [options]

Makes clients out of the service's OpenAPI documents with the generators that people use, compiles them as they come,
and lets each add, list by pages, get and delete animals and read errors as the generated type. Linters read both
documents first. Downloads generators and their libraries with the clients of their languages; takes some
fifteen minutes. Writes bench/results/generators.json.

  --only A,B   some, whose results take the place of their earlier ones: ${[...new Set([...LINTERS, ...RUNS].map(({ name }) => name))].join(', ')}
  --help       show this
`;

/** What a client prints, one line each, as it gets there. */
const STEPS = ['create', 'list', 'get', 'delete', 'errors'];

interface Outcome {
  readonly name: string;
  readonly version: string;
  readonly document: string;
  readonly isGood: boolean;
  readonly seconds: number;
  readonly date: string;
}

await main(async () => {
  const { only } = readOptions(HELP, {}, ['only']);
  const all = [...LINTERS, ...RUNS];
  const known = all.map(({ name }) => name);
  const names = subset('--only', only, known);
  const wanted = all.filter(({ name }) => names.includes(name));
  assertPresent(wanted);

  const folder = emptyFolder('generators');
  const { origin, key } = await startService(seedPetstore(`${folder}/petstore.db`, 0));
  for (const name of new Set(wanted.map(({ document }) => document))) {
    const document = await fetch(`${origin}/v1/${name}`);
    writeFileSync(`${folder}/${name}`, await document.text());
  }
  const outcomes = wanted.map((run, index) => {
    const own = `${folder}/${index}`;
    mkdirSync(own);
    const env = { PETSTORE_URL: `${origin}/v1`, PETSTORE_KEY: key };
    return outcomeOf(run, () => run.run({ folder: own, documents: folder, env }));
  });
  console.log(`\n${table(['', 'version', 'document', 'seconds', ''], outcomes.map(rowOf))}`);
  keep(outcomes);
  console.log('\nWrote bench/results/generators.json.');
  if (outcomes.some(({ isGood }) => !isGood)) process.exitCode = 1;
});

/** Writes the outcomes into the results, in the place of earlier ones of the same. */
function keep(outcomes: readonly Outcome[]): void {
  const path = `${RESULTS}/generators.json`;
  const before: Outcome[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
  const kept = [...LINTERS, ...RUNS].flatMap((run) => {
    const isOfRun = ({ name, document }: Outcome) => name === run.name && document === run.document;
    return outcomes.find(isOfRun) ?? before.find(isOfRun) ?? [];
  });
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Runs one of them, and shows what it said where it fails. */
function outcomeOf(run: Run, toTheEnd: () => string): Outcome {
  console.log(`${run.name}, ${run.document} …`);
  const begun = performance.now();
  let isGood = false;
  try {
    const printed = toTheEnd().trim().split('\n');
    const missing = RUNS.includes(run) ? STEPS.filter((step) => !printed.includes(step)) : [];
    if (missing.length > 0) throw new Error(`the program did not ${missing.join(', ')}`);
    isGood = true;
  } catch (error) {
    console.error((error as Error).message);
  }
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const version = VERSIONS[run.of] ?? '';
  return {
    name: run.name,
    version,
    document: run.document,
    isGood,
    seconds,
    date: new Date().toISOString(),
  };
}

function rowOf({ name, version, document, seconds, isGood }: Outcome): string[] {
  return [name, version, document, String(seconds), isGood ? 'good' : 'FAILED'];
}

/** Throws BenchError where the machine lacks a program. */
function assertPresent(wanted: readonly Run[]): void {
  const missing = [...new Set(wanted.flatMap(({ needs }) => needs))].filter(
    (program) => spawnSync(program, ['--help'], { stdio: 'ignore' }).error,
  );
  if (missing.length === 0) return;
  const without = wanted.filter(({ needs }) => needs.every((one) => !missing.includes(one)));
  const rest = [...new Set(without.map(({ name }) => name))].join(',');
  throw new BenchError(
    `This machine has no ${missing.join(', ')}. Install that${rest && `, or leave out what needs it: --only "${rest}"`}.`,
  );
}
