import { UserError } from '@petstore/service/user-error.ts';
import type { ImportedSite, Note } from './imported-site.ts';
import { ImportedValue } from './imported-value.ts';
import { readNavigation } from './mintlify-navigation.ts';
import { readReference } from './mintlify-reference.ts';
import { ignoredFiles, readSettings } from './mintlify-settings.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

/** Reads `docs.json`, or the older `mint.json`. Rejects with UserError where there is neither, or it cannot be read. */
export async function readMintlify(folder: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const file = ['docs.json', 'mint.json'].find((name) => folder.files.has(name));
  if (file === undefined)
    throw new UserError(
      `${folder.path} has neither docs.json nor mint.json at its top, where Mintlify has its configuration. Name the folder that has one.`,
    );
  const config = await withFiles(await folder.readValue(file), folder, 0);
  const reference = await readReference({ folder, notes }, config);
  const settings = readSettings({ folder, notes }, config);
  const filled = [...reference.filled];
  return {
    ...settings,
    navigation: readNavigation({ folder, notes, reference }, config),
    redirects: [
      ...settings.redirects,
      ...filled.map(([, { redirect }]) => redirect),
      ...reference.redirects,
    ],
    changes: new Map([...(settings.changes ?? []), ...reference.changes]),
    documents: reference.documents,
    referencePaths: reference.pages.paths,
    ignore: [...(await ignoredFiles({ folder, notes })), ...filled.map(([name]) => name)],
  };
}

/** A reference reaches as many files deep. */
const MAX_REFERENCES = 10;

/** Puts the content of other files where a configuration says `{"$ref": "./navigation.json"}`. */
async function withFiles(
  value: ImportedValue,
  folder: SourceFolder,
  depth: number,
): Promise<ImportedValue> {
  const reference = value.get('$ref');
  const { file, line } = value.place;
  if (reference?.text !== undefined) {
    const target = resolvePath(reference.text, file);
    const isKnown = target !== undefined && folder.files.has(target) && depth < MAX_REFERENCES;
    // Other languages are often left out of a copy.
    if (!isKnown) return value;
    return withFiles(await folder.readValue(target), folder, depth + 1);
  }
  const all = value.items.length > 0 ? [...value.items] : undefined;
  if (all) {
    const items = await Promise.all(all.map((item) => withFiles(item, folder, depth)));
    return new ImportedValue(items, { file, line });
  }
  if (value.members.size === 0) return value;
  const members = [...value.members].map(
    async ([key, member]) => [key, await withFiles(member, folder, depth)] as const,
  );
  return new ImportedValue(new Map(await Promise.all(members)), value.place);
}
