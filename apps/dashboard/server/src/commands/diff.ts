import { writeFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import type { ChangeList } from '@petstore/changes/change.ts';
import { compareDocuments, joinedLists } from '@petstore/changes/compare-documents.ts';
import type { Exception } from '@petstore/changes/exceptions.ts';
import { changesGithub } from '@petstore/changes/formats/github.ts';
import { changesGitlab } from '@petstore/changes/formats/gitlab.ts';
import { changesJunit } from '@petstore/changes/formats/junit.ts';
import { changesMarkdown } from '@petstore/changes/formats/markdown.ts';
import { changesSarif } from '@petstore/changes/formats/sarif.ts';
import { changesText, type Paint } from '@petstore/changes/formats/text.ts';
import { VERDICTS, type Verdict } from '@petstore/changes/rules.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { pairDocuments } from '../deploys/changes/pair-documents.ts';
import { readVersion } from './diff/read-version.ts';
import type { Version } from './diff/version.ts';
import { subcommand } from './subcommand.ts';

/** How a list is printed. `failing`: the verdicts that end with exit code 1. */
const FORMATS: Readonly<Record<string, (list: ChangeList, failing: readonly Verdict[]) => string>> =
  {
    text: (list) => changesText(list, paint),
    json: (list) => toJson(list),
    markdown: changesMarkdown,
    github: changesGithub,
    gitlab: changesGitlab,
    sarif: changesSarif,
    junit: (list, failing) => changesJunit(list, failing.length > 0 ? failing : ['breaking']),
  };

interface Options {
  readonly format: string;
  readonly report?: readonly Report[];
  readonly failOn?: 'breaking' | 'risky';
  readonly against?: 'live';
  readonly project?: string;
}

/** A file to which the list goes as well. */
interface Report {
  readonly format: string;
  readonly file: string;
}

export function diffCommand(): Command {
  return (
    subcommand('diff')
      .description(
        'List what a new version of an API changes for those who use the old one. Of files and folders offline and without an account.',
      )
      .argument(
        '<old>',
        'document (JSON or YAML), folder as it is deployed, or address of a site or a deploy',
      )
      .argument(
        '[new]',
        'the same of the new version; a docs.yaml in it may have exceptions. With --against the new version alone is given',
      )
      .addOption(
        new Option('--against <what>', 'live: compare with what is live, of --project').choices([
          'live',
        ]),
      )
      .option('--project <slug>', 'the project of --against, at DASHBOARD_URL')
      .addOption(
        new Option(
          '--format <format>',
          `how the list is printed: ${Object.keys(FORMATS).join(', ')}`,
        )
          .choices(Object.keys(FORMATS))
          .default('text'),
      )
      .addOption(
        new Option(
          '--report <format=file>',
          'write the list to a file as well, in this format; for several, once each',
        ).argParser(readReport),
      )
      .addOption(
        new Option(
          '--fail-on <verdict>',
          'breaking or risky: exit with 1 where there is such a change, or a graver one',
        ).choices(['breaking', 'risky']),
      )
      // A wrong command line is no breaking change.
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
      .action(async (old: string, now: string | undefined, options: Options) => {
        const { format, report = [], failOn } = options;
        const list = await compared(old, now, options);
        if (!list) return;
        const failing = failOn === undefined ? [] : VERDICTS.slice(0, VERDICTS.indexOf(failOn) + 1);
        for (const { format, file } of report)
          if (!(await written(file, FORMATS[format]?.(list, failing) ?? ''))) return;
        // Before it is printed: the reader of a pipe may stop early.
        if (failing.some((verdict) => list.summary[verdict] > 0)) process.exitCode = 1;
        await write(FORMATS[format]?.(list, failing) ?? '');
      })
  );
}

/** Adds a `--report` to those before it. Throws InvalidArgumentError for another format, and without a file. */
function readReport(text: string, before: readonly Report[] = []): Report[] {
  const [, format = '', file = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (Object.hasOwn(FORMATS, format)) return [...before, { format, file }];
  const formats = Object.keys(FORMATS).join(', ');
  throw new InvalidArgumentError(`It must be FORMAT=FILE, with one of ${formats}.`);
}

/** Whether a file could be written. What keeps it from that is told. */
async function written(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text);
    return true;
  } catch (error) {
    process.exitCode = 2;
    process.stderr.write(`dashboard: ${file} cannot be written: ${(error as Error).message}\n`);
    return false;
  }
}

/** The list of changes; undefined where a version cannot be read, which is told. */
async function compared(
  first: string,
  second: string | undefined,
  options: Options,
): Promise<ChangeList | undefined> {
  try {
    const { old, now, exceptions } = await versionsOf(first, second, options);
    const [before, after] = [await readVersion(old), await readVersion(now)];
    for (const line of [...before.notes, ...after.notes]) process.stderr.write(`${line}\n`);
    return comparedVersions(before, after, exceptions);
  } catch (error) {
    process.exitCode = 2;
    const text = error instanceof UserError ? error.message : `A defect: ${(error as Error).stack}`;
    process.stderr.write(`dashboard: ${text}\n`);
    return undefined;
  }
}

/** Which versions are meant, and which changes are allowed beside those of `docs.yaml`. Rejects with UserError where the command line does not say it. */
async function versionsOf(
  first: string,
  second: string | undefined,
  { against, project }: Options,
): Promise<{
  readonly old: string;
  readonly now: string;
  readonly exceptions: readonly Exception[];
}> {
  if (against === undefined) {
    if (project !== undefined)
      throw new UserError('--project goes with --against live, which says what of it is compared.');
    if (second === undefined)
      throw new UserError(
        'The new version is missing: dashboard diff OLD NEW, or dashboard diff NEW --against live --project SLUG.',
      );
    return { old: first, now: second, exceptions: [] };
  }
  if (second !== undefined)
    throw new UserError('With --against the old version is known: give the new one alone.');
  if (project === undefined)
    throw new UserError('--against live needs the project: --project SLUG.');
  // Loaded here: files need none of it.
  const { liveVersion } = await import('./diff/live-version.ts');
  const { address, exceptions } = await liveVersion(project);
  return { old: address, now: first, exceptions };
}

/**
 * Compares the documents of each address. One document alone is compared with one alone, whatever their addresses. Throws
 * UserError where it is not known which one is meant.
 */
function comparedVersions(old: Version, now: Version, more: readonly Exception[]): ChangeList {
  for (const [one, other] of [
    [old, now],
    [now, old],
  ] as const)
    if (one.isFile && other.documents.size > 1)
      throw new UserError(
        `${one.path} is one document, and ${other.path} has ${other.documents.size}. Name one of its documents instead of the folder.`,
      );
  const rules = { ...now.rules, exceptions: [...(now.rules.exceptions ?? []), ...more] };
  const pairs = pairDocuments(old.documents, now.documents);
  return joinedLists(pairs.map((pair) => compareDocuments(pair.old, pair.now, rules)));
}

const COLOURS = {
  breaking: ['bold', 'red'],
  risky: ['bold', 'yellow'],
  compatible: ['bold', 'green'],
  documentation: ['bold', 'blue'],
  faint: ['dim'],
} as const;

/** Colours where a person looks, and where `NO_COLOR` does not say otherwise. */
const paint: Paint = (part, text) =>
  styleText([...COLOURS[part]], text, { stream: process.stdout });

/** Writes to standard output, and waits until it is taken. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
