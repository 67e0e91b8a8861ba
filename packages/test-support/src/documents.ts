import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '@petstore/service/environment.ts';
import { ROOT } from './root.ts';

/** A text file of the repository, by its path from the root. */
export function readDocument(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

/** The anchors of a Markdown document's headings, as its readers' programs make them. */
export function anchorsOf(markdown: string): Set<string> {
  return new Set(
    [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The variables that a configuration reads where none is set. */
export function variablesOf(readConfig: (env: Env) => unknown): Set<string> {
  const variables = new Set<string>();
  readConfig(new Proxy({}, { get: (_target, name) => void variables.add(String(name)) }));
  return variables;
}

/**
 * Holds a program's help, and a document in the repository, to every variable that its configuration
 * reads where none is set.
 */
export async function assertVariablesExplained(
  readConfig: (env: Env) => unknown,
  help: string,
  document: string,
): Promise<void> {
  const variables = variablesOf(readConfig);
  assert.ok(variables.size > 0);
  const text = await readDocument(document);
  for (const name of variables) {
    assert.ok(help.includes(name), `--help lacks ${name}`);
    assert.ok(text.includes(`\`${name}\``), `${document} lacks ${name}`);
  }
}
