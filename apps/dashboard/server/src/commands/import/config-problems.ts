import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocsConfig } from '@petstore/site/guides/docs-config.ts';
import { withoutIgnored } from '@petstore/site/guides/ignored-files.ts';
import type { ImportedSite, Note } from './imported-site.ts';
import type { SourceFolder } from './source-folder.ts';

/** What a deploy would refuse in a docs.yaml: nothing, unless this program is wrong. Of files only fonts are read. */
export function configProblems(yaml: string, folder: SourceFolder, site: ImportedSite): Note[] {
  const names = [...folder.files, ...(site.changes?.keys() ?? [])];
  const files = new Map(
    names.map((name): [string, Uint8Array] => [
      name,
      name === site.font ? readFileSync(join(folder.path, name)) : new Uint8Array(),
    ]),
  );
  files.set('docs.yaml', new TextEncoder().encode(yaml));
  const { problems } = readDocsConfig(withoutIgnored(files, site.ignore ?? []), 'docs.yaml');
  return problems.map(({ message, path, line }) => ({
    ...{ file: path, line: line ?? undefined },
    message: `A deploy refuses this: ${message}`,
  }));
}
