import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type BuiltClient, CLIENTS, type ClientBuild } from './client-builds.ts';
import { emptyFolder, seedPetstore } from './data.ts';
import { BenchError } from './failure.ts';
import { RESULTS, ROOT } from './paths.ts';
import { main, readOptions, subset } from './run.ts';
import { startService } from './service.ts';
import { markdownTable } from './table.ts';

const HELP = `npm run bench:clients -- [options]

Puts clients through the service's challenges: four as openapi-generator makes them, in Python, Go, Java and TypeScript,
and our own. Each challenge starts in a sandbox that was reset, with the same seed, and ends with a verdict of the
service. Downloads the generator and the libraries of its clients; takes some ten minutes. Writes
bench/results/clients.json and the table in docs/report.md.

  --only A,B   some, whose results take the place of their earlier ones: ${CLIENTS.map(({ name }) => name).join(', ')}
  --seed N     what goes wrong in the challenges depends on it; 1 by default
  --help       show this
`;

/** How long a client may take for a challenge, in milliseconds. */
const TIMEOUT_MS = 120_000;

const PATH = `${RESULTS}/clients.json`;

/** Between these lines of the document is the table. */
const BEGIN = '<!-- bench:clients -->';
const END = '<!-- /bench:clients -->';

const MARKS: Readonly<Record<string, string>> = { kept: 'passed', not_seen: 'not finished' };

interface Outcome {
  readonly challenge: string;
  /** kept, broken or not_seen, as the service says. */
  readonly verdict: string;
  /** The rules that are broken, or were not seen where they have to be. */
  readonly rules: readonly string[];
}

interface ClientOutcomes {
  readonly name: string;
  readonly version: string;
  readonly date: string;
  readonly seed: number;
  readonly outcomes: readonly Outcome[];
}

await main(async () => {
  const { only, seed } = readOptions(HELP, { seed: 1 }, ['only']);
  const names = subset(
    '--only',
    only,
    CLIENTS.map(({ name }) => name),
  );
  const wanted = CLIENTS.filter(({ name }) => names.includes(name));
  const folder = emptyFolder('clients');
  const { origin } = await startService(seedPetstore(`${folder}/petstore.db`, 0));
  const url = `${origin}/v1`;
  writeFileSync(`${folder}/openapi.json`, settledDocument());
  for (const client of wanted) {
    assertPresent(client);
    console.log(`${client.name} …`);
    const own = `${folder}/${client.name}`;
    mkdirSync(own);
    keep(await throughAll(client, client.build(own, folder), url, seed));
  }
  publish();
  console.log('Wrote bench/results/clients.json and the table in docs/report.md.');
});

/** The document without operations and headers that are experimental: clients are made for what stays. */
function settledDocument(): string {
  const petstore = `${ROOT}apps/petstore/bin/petstore.js`;
  const env = { ...process.env, PETSTORE_STABILITY: 'beta' };
  return execFileSync(process.execPath, [petstore, 'openapi'], { encoding: 'utf8', env });
}

/** Puts a client through every challenge for those who ask, and not for those who are asked (`webhooks`), one after the other, in a sandbox of its own. */
async function throughAll(
  { name, version }: ClientBuild,
  built: BuiltClient,
  url: string,
  seed: number,
): Promise<ClientOutcomes> {
  const made = await ask(`${url}/sandboxes`, undefined, 'POST', '{}');
  const { key } = made as { key: string };
  const challenges = (await ask(`${url}/challenges`, key)) as { code: string }[];
  const outcomes: Outcome[] = [];
  for (const { code } of challenges.filter(({ code }) => code !== 'webhooks')) {
    await ask(`${url}/challenges/${code}/start?seed=${seed}`, key, 'POST');
    const { cwd, program, args } = built;
    const ended = spawnSync(program, [...args, code], {
      ...{ cwd, encoding: 'utf8', timeout: TIMEOUT_MS },
      env: { ...process.env, PETSTORE_URL: url, PETSTORE_KEY: key },
    });
    const report = (await ask(`${url}/challenges/verdict`, key, 'POST')) as Report;
    const outcome = outcomeOf(code, report);
    const said = ended.status === 0 ? '' : ` (${lastLine(ended.stderr)})`;
    console.log(`  ${code}: ${outcome.verdict} ${outcome.rules.join(', ')}${said}`);
    outcomes.push(outcome);
  }
  return { name, version, date: new Date().toISOString(), seed, outcomes };
}

interface Report {
  readonly verdict: string;
  readonly rules: readonly { readonly code: string; readonly verdict: string }[];
}

function outcomeOf(challenge: string, { verdict, rules }: Report): Outcome {
  const broken = rules.filter((rule) => rule.verdict === 'broken');
  const unseen = rules.filter((rule) => rule.verdict === 'not_seen');
  const shown = verdict === 'kept' ? [] : broken.length > 0 ? broken : unseen;
  return { challenge, verdict, rules: shown.map(({ code }) => code) };
}

async function ask(url: string, key: string | undefined, method = 'GET', body?: string) {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body }),
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text) as unknown;
}

function results(): ClientOutcomes[] {
  return existsSync(PATH) ? JSON.parse(readFileSync(PATH, 'utf8')) : [];
}

/** Writes the outcomes of a client in the place of its earlier ones. */
function keep(outcomes: ClientOutcomes): void {
  const before = results();
  const kept = CLIENTS.flatMap(({ name }) =>
    name === outcomes.name ? outcomes : (before.find((one) => one.name === name) ?? []),
  );
  writeFileSync(PATH, `${JSON.stringify(kept, null, 2)}\n`);
}

function publish(): void {
  const path = `${ROOT}docs/report.md`;
  const text = readFileSync(path, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new BenchError(`${path} has no place for the table: ${BEGIN}`);
  writeFileSync(path, `${before}${BEGIN}\n\n${tableOf(results())}\n\n${END}${after}`);
}

function tableOf(clients: readonly ClientOutcomes[]): string {
  const codes = clients[0]?.outcomes.map(({ challenge }) => challenge) ?? [];
  const rows = codes.map((code) => [
    `\`${code}\``,
    ...clients.map(({ outcomes }) => {
      const { verdict = '', rules = [] } =
        outcomes.find(({ challenge }) => challenge === code) ?? {};
      return MARKS[verdict] ?? rules.map((rule) => `\`${rule}\``).join(', ');
    }),
  ]);
  const passed = clients.map(({ outcomes }) => {
    const count = outcomes.filter(({ verdict }) => verdict === 'kept').length;
    return `**${count} of ${outcomes.length}**`;
  });
  return markdownTable(
    ['challenge', ...clients.map(({ name }) => name)],
    [...rows, ['passed', ...passed]],
  );
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 120) ?? '';
}

/** Throws BenchError where the machine lacks a program. */
function assertPresent({ name, needs }: ClientBuild): void {
  const missing = needs.filter(
    (program) => spawnSync(program, ['--help'], { stdio: 'ignore' }).error,
  );
  if (missing.length === 0) return;
  throw new BenchError(`${name} needs ${missing.join(', ')}, which this machine lacks.`);
}
