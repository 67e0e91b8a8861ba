import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { print } from '@petstore/service/commands.ts';
import { count } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { isPage } from '@petstore/site/guides/links/site-paths.ts';
import { type Command, Option } from 'commander';
import { configProblems } from './import/config-problems.ts';
import { type MadeConfig, makeConfig } from './import/docs-yaml.ts';
import { readDocusaurus } from './import/docusaurus.ts';
import { GITBOOK_SITE, readGitBook } from './import/gitbook.ts';
import type { Change, ImportedDocument, ImportedSite, Note } from './import/imported-site.ts';
import { readMintlify } from './import/mintlify.ts';
import { readReadMe } from './import/readme.ts';
import { openSource, type SourceFolder } from './import/source-folder.ts';
import { subcommand } from './subcommand.ts';

type Reader = (folder: SourceFolder, notes: Note[]) => Promise<ImportedSite>;

/** The products that folders come from. */
const SOURCES: Readonly<Record<string, Reader>> = {
  mintlify: readMintlify,
  gitbook: readGitBook,
  docusaurus: readDocusaurus,
  readme: readReadMe,
};

interface Options {
  readonly from: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return subcommand('import')
    .description(
      "Write a docs.yaml into a documentation folder of another product's, and list what it cannot carry over.",
    )
    .argument('<folder>', 'the folder with the configuration of the other product')
    .addOption(
      new Option('--from <product>', 'where the folder comes from (required)')
        .choices(Object.keys(SOURCES))
        .makeOptionMandatory(),
    )
    .option('--force', 'replace a docs.yaml that is there')
    .option('--dry-run', 'print the docs.yaml, and write nothing')
    .option('--json', 'print what was done as JSON, and nothing else, for scripts')
    .action(
      async (path: string, { from, force = false, dryRun = false, json = false }: Options) => {
        const source = await openSource(path);
        const notes: Note[] = [];
        const site = await (SOURCES[from] as Reader)(source, notes);
        const folder = site.folder ?? source;
        const there = ['docs.yaml', 'docs.yml'].find((name) => folder.files.has(name));
        if (there !== undefined && !force && !dryRun)
          throw new UserError(await takenMessage(folder, there));
        const made = makeConfig(site, folder, notes);
        notes.push(...configProblems(made.yaml, folder, site));
        if (!dryRun) await write(folder, made, site.changes ?? new Map());
        if (json) await print(JSON.stringify(summaryOf(from, made, site, notes, !dryRun)));
        else if (dryRun) {
          for (const line of noteLines(notes)) process.stderr.write(`${line}\n`);
          await print(made.yaml.trimEnd());
        } else await print(report(from, folder, made, site, notes));
      },
    );
}

async function takenMessage(folder: SourceFolder, name: string): Promise<string> {
  const isGitBooks = /^site:/m.test(await folder.read(name));
  const whose = isGitBooks
    ? `It is GitBook's own: with --force it is kept as ${GITBOOK_SITE}, and read from there.`
    : 'Use --force to replace it, or --dry-run to see the one that would be written.';
  return `${join(folder.path, name)} is there already. ${whose}`;
}

/** Writes docs.yaml, whole or not at all, and the other files that are changed or copied. */
async function write(
  folder: SourceFolder,
  { yaml }: MadeConfig,
  changes: ReadonlyMap<string, Change>,
): Promise<void> {
  for (const [file, change] of changes) {
    const target = join(folder.path, file);
    await mkdir(dirname(target), { recursive: true });
    if ('text' in change) await writeFile(target, change.text);
    else await cp(join(folder.path, change.copyOf), target);
  }
  const target = join(folder.path, 'docs.yaml');
  await writeFile(`${target}.new`, yaml);
  await rename(`${target}.new`, target);
}

/** Nobody would read more notes that differ in names only; the rest is counted. */
const MAX_ALIKE = 5;

/** The notes as compilers print them, those that are alike beside each other. */
function noteLines(notes: readonly Note[]): string[] {
  const kinds = Map.groupBy(notes, ({ message }) =>
    message.replaceAll(/`[^`]*`|“[^”]*”|\d+/g, '…'),
  );
  return [...kinds.values()].flatMap((alike) => {
    const lines = alike
      .slice(0, MAX_ALIKE)
      .map(
        ({ file, line, message }) => `${file}${line === undefined ? '' : `:${line}`}: ${message}`,
      );
    const more = alike.length - MAX_ALIKE;
    return more > 0 ? [...lines, `And ${more} more like these: --json has all.`] : lines;
  });
}

function report(
  from: string,
  folder: SourceFolder,
  made: MadeConfig,
  site: ImportedSite,
  notes: readonly Note[],
): string {
  const pages = [...folder.files].filter(isPage).length;
  const written = [
    count(made.pages, 'page'),
    ...(made.tabs > 0 ? [count(made.tabs, 'tab')] : []),
    ...(made.redirects > 0 ? [count(made.redirects, 'redirect')] : []),
    ...referencesText(site.documents ?? []),
  ];
  return [
    `Found a ${NAMES[from]} folder with ${count(folder.files.size, 'file')}, ${pages} of them Markdown.`,
    `Wrote ${join(folder.path, 'docs.yaml')}: ${written.join(', ')}.`,
    ...changeLines(folder, site.changes ?? new Map()),
    notes.length === 0 ? 'Everything is carried over.' : `Not carried over, or to look at:`,
    ...noteLines(notes).map((line) => `  ${line}`),
    `Next: dashboard dev ${folder.path}`,
    `then:  dashboard deploy --project SLUG ${folder.path}`,
  ].join('\n');
}

function referencesText(documents: readonly ImportedDocument[]): string[] {
  const [first, second] = documents;
  if (!first) return [];
  return [
    second
      ? `references of ${count(documents.length, 'document')}`
      : `the reference of ${first.file}`,
  ];
}

/** Of more files than these the first is named. */
const MAX_NAMED = 3;

function changeLines(folder: SourceFolder, changes: ReadonlyMap<string, Change>): string[] {
  const texts = [...changes].filter(([, change]) => 'text' in change).map(([file]) => file);
  const copies = [...changes].flatMap(([file, change]) =>
    'copyOf' in change ? [`${change.copyOf} to ${file}`] : [],
  );
  return [
    ...fileLine(
      'Changed',
      texts.filter((file) => folder.files.has(file)),
    ),
    ...fileLine(
      'Wrote',
      texts.filter((file) => !folder.files.has(file)),
    ),
    ...fileLine('Copied', copies),
  ];
}

function fileLine(done: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  if (files.length <= MAX_NAMED) return files.map((file) => `${done} ${file}.`);
  return [`${done} ${count(files.length, 'file')}, such as ${files[0]}: --json names all.`];
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ mintlify: 'Mintlify', gitbook: 'GitBook', docusaurus: 'Docusaurus', readme: 'ReadMe' },
};

/** For scripts. */
function summaryOf(
  from: string,
  { yaml, ...counts }: MadeConfig,
  site: ImportedSite,
  notes: readonly Note[],
  isWritten: boolean,
) {
  const changed = [...(site.changes ?? new Map()).keys()];
  const left = notes.map(({ file, line = null, message }) => ({ file, line, message }));
  return { from, written: isWritten, ...counts, changed, notes: left, yaml };
}
