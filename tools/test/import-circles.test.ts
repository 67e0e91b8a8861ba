import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

test('no source file imports itself through others, not even for types', () => {
  const imports = importsOf(sourceFolders().flatMap(filesIn));
  // A folder that has moved would leave nothing to look at.
  assert.ok(imports.size > 500, `${imports.size} files`);
  assert.deepEqual(circlesIn(imports), []);
});

test('a circle is found, whatever leads into it', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ]);
  assert.deepEqual(circlesIn(imports), ['b -> c -> b']);
});

function sourceFolders(): string[] {
  const packages = ['apps', 'packages'].flatMap((of) =>
    readdirSync(join(ROOT, of)).map((name) => join(ROOT, of, name)),
  );
  return packages
    .flatMap((folder) => ['src', 'server/src', 'web/src'].map((source) => join(folder, source)))
    .filter((folder) => existsSync(folder));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** The files that each file imports: relative ones and those of this repository's packages. */
function importsOf(files: readonly string[]): Map<string, string[]> {
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
      const targets = importedFiles.map(({ fileName }) =>
        fileName.startsWith('.')
          ? resolve(file, '..', fileName)
          : fileName.replace(/^@petstore\/([^/]+)\//, join(ROOT, 'packages/$1/src/')),
      );
      return [relative(ROOT, file), targets.map((target) => relative(ROOT, target))];
    }),
  );
}

/** Each circle that a depth-first search meets, such as `a -> b -> a`. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return circles;
}
