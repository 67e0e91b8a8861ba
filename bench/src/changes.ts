// Compares `dashboard diff` with oasdiff, an independent tool, on the neighbours of histories of real documents:
//
//   go install github.com/oasdiff/oasdiff@v1.37.0
//   npm run bench:changes -- FOLDER…
//
// Each FOLDER has versions of one document, whose names are in their order. For each change that one of the two calls
// breaking it looks up what the other one says of it, by the operation and the names in the sentences.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Change, ChangeList } from '../../packages/changes/src/change.ts';

const DASHBOARD = fileURLToPath(new URL('../../apps/dashboard/bin/dashboard.js', import.meta.url));
const OASDIFF = process.env.OASDIFF ?? 'oasdiff';
const LEVELS = ['', 'info', 'warning', 'error'];

interface Judged {
  readonly id: string;
  readonly text: string;
  readonly level: number;
  readonly operation?: string;
  readonly path?: string;
}

/** What one tool calls breaking: how often, what the other says of it, and the first example. */
interface Row {
  count: number;
  readonly example: string;
}

interface Table {
  readonly folder: string;
  pairs: number;
  /** Of those, how many one of the two does not read. */
  unread: number;
  both: number;
  onlyTheirs: number;
  onlyOurs: number;
}

const theirs = new Map<string, Row>();
const ours = new Map<string, Row>();
const tables: Table[] = [];

function comparePair(table: Table, old: string, now: string): void {
  table.pairs += 1;
  const changes = run<ChangeList>(process.execPath, [
    DASHBOARD,
    'diff',
    old,
    now,
    '--format',
    'json',
  ])?.changes;
  const flags = ['changelog', old, now, '-f', 'json', '--flatten-allof', '--flatten-params'];
  // It compares paths that collide only by the names of their parameters.
  const judged =
    run<Judged[]>(OASDIFF, flags) ?? run<Judged[]>(OASDIFF, [...flags, '--include-path-params']);
  if (!changes || !judged) {
    table.unread += 1;
    return;
  }
  const where = `${table.folder} ${basename(old)} to ${basename(now)}`;
  for (const one of judged) {
    if (one.level < 3) continue;
    const found = counterparts(one, changes);
    if (found.some(({ verdict }) => verdict === 'breaking')) table.both += 1;
    else {
      table.onlyTheirs += 1;
      const [best] = found;
      const said = best ? `${best.verdict} ${best.code}` : 'nothing';
      enter(theirs, `${one.id}: ${said}`, `${where}, ${nameOf(one)}: ${one.text}`);
    }
  }
  for (const change of changes) {
    if (change.verdict !== 'breaking') continue;
    const found = judged.filter((one) => isCounterpart(one, change));
    const level = Math.max(0, ...found.map((one) => one.level));
    if (level === 3) continue;
    table.onlyOurs += 1;
    const said = found.find((one) => one.level === level);
    const key = `${change.code}: ${said ? `${LEVELS[level]} ${said.id}` : 'nothing'}`;
    enter(ours, key, `${where}, ${change.operation}: ${change.message}`);
  }
}

/** What a program prints; undefined where it cannot read a version. */
function run<T>(program: string, args: readonly string[]): T | undefined {
  const { stdout, stderr, status } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return JSON.parse(stdout) as T;
  console.error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return undefined;
}

const nameOf = ({ operation = '', path = '' }: Judged): string => `${operation} ${path}`.trim();

function counterparts(one: Judged, changes: readonly Change[]): Change[] {
  return changes.filter(
    (change) => change.verdict !== 'documentation' && isCounterpart(one, change),
  );
}

const blank = (name: string): string => name.replace(/\{[^{}]*\}/g, '{}');

/** Whether two sentences are of one change: of the same operation, direction and names. */
function isCounterpart(one: Judged, { operation, message, code }: Change): boolean {
  const theirName = nameOf(one);
  if (theirName !== '' && operation !== null && blank(theirName) !== blank(operation)) return false;
  if ((theirName === '') !== (operation === null) && !/security|server/.test(one.id)) return false;
  if (/removed|added/.test(one.id) && /^(?:api|endpoint)-/.test(one.id) && /^operation-/.test(code))
    return true;
  if (/status-(?:removed|added)$/.test(one.id))
    return (
      /^(?:success|error)-response-/.test(code) &&
      message.includes(` ${/\d+/.exec(one.text)?.[0]} `)
    );
  const isResponse = one.id.startsWith('response');
  const isOfRequest = /^request-|^parameter-|-parameter-/.test(code);
  if (/^re(?:quest|sponse)-/.test(one.id) && isResponse === isOfRequest) return false;
  const [theirNames, ourNames] = [namesIn(one.text), namesIn(message)];
  if (theirNames.size === 0) return true;
  return [...theirNames].some((name) => ourNames.has(name));
}

const NO_NAMES = new Set([
  '',
  'items',
  'null',
  'any',
  'object',
  'array',
  'string',
  'integer',
  'number',
  'boolean',
]);

/** The last parts of what stands in marks of code: names of properties, parameters and values. */
function namesIn(text: string): Set<string> {
  const marked = [...text.matchAll(/`([^`]*)`/g)].flatMap(([, inside = '']) => inside.split(', '));
  const parts = marked.flatMap((inside) => {
    const path = inside
      .replace(/\/?(?:items|additionalProperties)(?=\/|$)/g, '')
      .replace(/\[\]|\(.*?\)/g, '');
    return [inside, path.split(/[/.]/).at(-1) ?? ''];
  });
  return new Set(parts.filter((part) => !NO_NAMES.has(part)));
}

function enter(rows: Map<string, Row>, key: string, example: string): void {
  const row = rows.get(key) ?? { count: 0, example };
  row.count += 1;
  rows.set(key, row);
}

function printRows(title: string, rows: ReadonlyMap<string, Row>): void {
  console.log(`\n${title}:\n`);
  for (const [key, { count, example }] of [...rows].sort(([, a], [, b]) => b.count - a.count))
    console.log(`${String(count).padStart(5)}  ${key}\n       ${example}`);
}

for (const folder of process.argv.slice(2)) {
  const table: Table = {
    folder: basename(folder),
    pairs: 0,
    unread: 0,
    both: 0,
    onlyTheirs: 0,
    onlyOurs: 0,
  };
  tables.push(table);
  const files = readdirSync(folder).sort();
  for (const [at, file] of files.entries()) {
    const next = files[at + 1];
    if (next !== undefined) comparePair(table, join(folder, file), join(folder, next));
  }
}

console.log(
  '| history | pairs | not read | breaking for both | for oasdiff alone | for us alone |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const { folder, pairs, unread, both, onlyTheirs, onlyOurs } of tables)
  console.log(`| ${folder} | ${pairs} | ${unread} | ${both} | ${onlyTheirs} | ${onlyOurs} |`);
printRows('An error for oasdiff, and less for us', theirs);
printRows('Breaking for us, and less for oasdiff', ours);
