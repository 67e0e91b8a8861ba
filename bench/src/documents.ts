import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { findDocuments } from '../../packages/site/src/openapi/bundle/find-documents.ts';
import { levelOf } from '../../packages/site/src/rules.ts';
import { emptyFolder } from './data.ts';
import type { PublishedDocument } from './documents/documents-report.ts';
import { type DeployedFolder, deployFolder, largeFolders } from './documents/large-folders.ts';
import { BenchError } from './failure.ts';
import { describeMachine } from './machine.ts';
import { publish } from './report.ts';
import { main, readOptions, subset } from './run.ts';
import { DashboardUnderTest } from './sites/dashboard.ts';

const HELP = `npm run bench:documents -- --documents DIR [options]

Publishes the OpenAPI documents of a folder with the dashboard, one after the other, as their authors would: with
\`dashboard deploy\`. A folder in it counts where it has exactly one document, which may refer to its other files. Then
it deploys a folder of so many files, and one with the document \`github\` and 500 guides: each once, once more unchanged,
and with one guide changed. Writes bench/results/documents.json and docs/performance.md.

  --documents DIR    the folder (required)
  --only A,B         some of its documents, by their names without an ending
  --files N          files of the folder (default 20000)
  --data DIR         folder for the database (default bench/data)
  --help             show this
`;

/** In bytes: what a folder's files may have to be looked through. */
const MAX_BYTES = 50_000_000;

await main(async () => {
  const { documents, only, data, files } = readOptions(HELP, { files: 20_000 }, [
    'documents',
    'only',
    'data',
  ] as const);
  if (documents === undefined) throw new BenchError('Name a folder of documents with --documents.');
  const all = placesIn(documents);
  const names = subset('--only', only, [...all.keys()]);
  const machine = describeMachine('browser');
  const folder = emptyFolder('documents', data);
  const dashboard = await DashboardUnderTest.start(folder);
  const published: PublishedDocument[] = [];
  for (const name of names) {
    const one = await publishDocument(dashboard, name, all.get(name) ?? '');
    console.log(
      `${name}: ${one.refusal || `${one.seconds.toFixed(1)} s, ${one.warnings} warnings`}`,
    );
    published.push(one);
  }
  const folders: DeployedFolder[] = [];
  const github = names.includes('github') ? all.get('github') : undefined;
  for (const [at, one] of largeFolders(files, github).entries())
    folders.push(...(await deployFolder(dashboard, one, join(folder, `folder-${at}`))));
  publish('documents', { machine, documents: published, folders });
});

/** The documents of a folder by their names. */
function placesIn(folder: string): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const entry of readdirSync(folder).sort()) {
    const path = join(folder, entry);
    const name = entry.slice(0, entry.length - extname(entry).length);
    if (!statSync(path).isDirectory()) {
      if (/\.(?:json|ya?ml)$/i.test(entry)) places.set(name, path);
      continue;
    }
    const [only, ...others] = documentsIn(path);
    if (only !== undefined && others.length === 0) places.set(entry, join(path, only));
  }
  if (places.size === 0) throw new BenchError(`${folder} has no document.`);
  return places;
}

function documentsIn(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => /\.(?:json|ya?ml)$/i.test(path));
  return findDocuments(
    new Map(files.map((path) => [path, readFileSync(join(folder, path))])),
    MAX_BYTES,
  );
}

async function publishDocument(
  dashboard: DashboardUnderTest,
  name: string,
  path: string,
): Promise<PublishedDocument> {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  await dashboard.createProject(slug);
  const { deploy, log, peakMiB } = await dashboard.deployFile(slug, path);
  const said = (pattern: RegExp) => log.map((line) => pattern.exec(line)).find(Boolean)?.[1] ?? '';
  const count = (text: string) => Number(text.replaceAll(',', ''));
  const told = (level: 'warning' | 'hint') =>
    deploy.warnings
      .filter(({ rule }) => levelOf(rule) === level)
      .reduce((sum, { message }) => sum + findingsIn(message), 0);
  const [first] = deploy.state === 'succeeded' ? [] : deploy.errors;
  const all = /^Read ([\d,]+) files? that it refers to: ([\d.]+ [kM]?B)/;
  const others = log.map((line) => all.exec(line)).find(Boolean);
  return {
    name,
    version: said(/^The document is (.+)$/),
    megabytes: others ? megabytes(others[2] ?? '') : statSync(path).size / 1e6,
    files: 1 + count(others?.[1] ?? '0'),
    operations: count(said(/^Found ([\d,]+) operations?/) || '0'),
    seconds: (Date.parse(deploy.finishedAt ?? '') - Date.parse(deploy.startedAt ?? '')) / 1_000,
    peakMiB,
    warnings: told('warning'),
    hints: told('hint'),
    refusal: first ? first.message : '',
  };
}

/** How many findings a line of a deploy stands for: of many of a rule the last line counts the others. */
function findingsIn(message: string): number {
  const [, more] = /^And (?:more than )?([\d,]+) others of this rule/.exec(message) ?? [];
  return more === undefined ? 1 : Number(more.replaceAll(',', ''));
}

/** `3.2 MB` as 3.2. */
function megabytes(text: string): number {
  const [number = '0', unit = 'B'] = text.split(' ');
  return Number(number) * (unit === 'MB' ? 1 : unit === 'kB' ? 1e-3 : 1e-6);
}
