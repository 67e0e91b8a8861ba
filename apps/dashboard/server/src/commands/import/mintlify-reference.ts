import { count } from '@petstore/service/text.ts';
import { isPage } from '@petstore/site/guides/links/site-paths.ts';
import type { Change, ImportedDocument, ImportedRedirect, Note } from './imported-site.ts';
import { frontMatter, type ImportedValue } from './imported-value.ts';
import { generatedRedirects } from './mintlify-generated.ts';
import { type ReferencePage, type ReferencePages, readReferencePages } from './reference-pages.ts';
import { fileNamed, type SourceFolder } from './source-folder.ts';

/** The reference that a Mintlify folder becomes. */
export interface MintlifyReference {
  readonly documents: readonly ImportedDocument[];
  readonly pages: ReferencePages;
  /** Pages without a text of their own, which Mintlify fills with an operation or a model, by file. */
  readonly filled: ReadonlyMap<string, ReferencePage & { readonly redirect: ImportedRedirect }>;
  /** Pages with a text of their own, which name the operation or the model at their top now. */
  readonly changes: ReadonlyMap<string, Change>;
  /** Where Mintlify has the pages that it makes of documents. */
  readonly redirects: readonly ImportedRedirect[];
}

interface Reading {
  readonly folder: SourceFolder;
  readonly notes: Note[];
}

/** Finds the documents of a folder, and the pages that stand for its operations. */
export async function readReference(
  at: Reading,
  config: ImportedValue,
): Promise<MintlifyReference> {
  const matters = await pagesOfOperations(at.folder);
  const documents = usedDocuments(at, [
    ...namedDocuments(at, config),
    ...matters.flatMap(({ written }) => documentIn(written.text ?? '') ?? []),
  ]);
  const pages = await readReferencePages(at.folder, documents);
  const filled = new Map<string, ReferencePage & { redirect: ImportedRedirect }>();
  const changes = new Map<string, Change>();
  const others: ImportedValue[] = [];
  for (const { file, title, written, isModel, matter, body } of matters) {
    const named = documentIn(written.text ?? '');
    const name = withoutDocument(written.text ?? '');
    const found = isModel ? pages.model(name) : pages.operation(name, named);
    if (found && hasText(body)) {
      const box = `<${isModel ? 'Model' : 'Operation'} id="${found.id}" />`;
      // With --force, a folder is imported again.
      const text = `${matter}\n${box}\n\n${body.replace(/^(?:[ \t]*\r?\n)+/, '')}`;
      if (!body.includes(box)) changes.set(file, { text });
    } else if (found) {
      const from = `/${file.replace(/\.mdx?$/i, '').replace(/\/(?:index|README)$/, '')}`;
      const redirect = { from, to: found.path, place: written.place };
      filled.set(file, { ...found, title: title ?? found.title, redirect });
    } else others.push(written);
  }
  tellOthers(at, others);
  const redirects = documents.length === 0 ? [] : generatedRedirects(at, config, pages);
  return { documents, pages, filled, changes, redirects };
}

interface OperationPage {
  readonly file: string;
  readonly title: string | undefined;
  /** `GET /pets`, or the name of a model. */
  readonly written: ImportedValue;
  readonly isModel: boolean;
  /** The front matter with its two lines, and what comes after it. */
  readonly matter: string;
  readonly body: string;
}

/** Pages that Mintlify fills by their front matter. */
async function pagesOfOperations(folder: SourceFolder): Promise<OperationPage[]> {
  const pages = [...folder.files].filter((file) => isPage(file));
  const found = await Promise.all(
    pages.map(async (file): Promise<OperationPage[]> => {
      const text = await folder.read(file);
      const settings = frontMatter(text, file);
      const operation = settings.get('openapi') ?? settings.get('api');
      const written = operation ?? settings.get('openapi-schema');
      if (!written) return [];
      const title = (settings.get('sidebarTitle') ?? settings.get('title'))?.text;
      const [matter = ''] = /^\uFEFF?---[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
      const body = text.slice(matter.length);
      return [{ file, title, written, isModel: operation === undefined, matter, body }];
    }),
  );
  return found.flat();
}

const hasText = (body: string) => body.replaceAll(/\{\/\*[\s\S]*?\*\/\}/g, '').trim() !== '';

function tellOthers({ notes }: Reading, [first, ...others]: readonly ImportedValue[]): void {
  if (!first) return;
  const message = `Mintlify fills this page${others.length > 0 ? ` and ${count(others.length, 'other')}` : ''} with an operation that no OpenAPI document of the folder has: here it has its own text only.`;
  notes.push({ ...first.place, message });
}

// Documents.

const OPERATION =
  /^(?:\S+\.(?:json|ya?ml)\s+)?(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|WEBHOOK|QUERY)\s+\S/i;

/** Whether a text is an operation: `GET /pets`, or `openapi.json GET /pets`. */
export const isOperation = (text = ''): boolean => OPERATION.test(text);

/** `GET /pets`, without the document in front of it. */
export const withoutDocument = (text: string): string =>
  text.trim().replace(/^\S+\.(?:json|ya?ml)\s+/i, '');

/** The document that is written in front of an operation; undefined where there is none. */
export function documentIn(text: string): string | undefined {
  const [, name] = /^(\S+\.(?:json|ya?ml))\s+\S/i.exec(text.trim()) ?? [];
  return name === undefined ? undefined : fileNamed(name);
}

/** The documents that a configuration names, in its order: as `openapi` anywhere, or in front of an operation. */
function namedDocuments(at: Reading, value: ImportedValue): string[] {
  const inText = isOperation(value.text) ? documentIn(value.text ?? '') : undefined;
  if (inText !== undefined) return [inText];
  const inner = [...value.items, ...value.members.values()];
  const named = documentsOf(value.get('openapi'));
  return [
    ...named.flatMap((one) => documentFile(at, one)),
    ...inner.flatMap((one) => namedDocuments(at, one)),
  ];
}

/** What `openapi` names: a file, several of them, or `{source}`. */
function documentsOf(value: ImportedValue | undefined): ImportedValue[] {
  if (!value) return [];
  if (value.text !== undefined) return [value];
  const source = value.get('source');
  return source ? [source] : value.items.flatMap(documentsOf);
}

function documentFile({ folder, notes }: Reading, { text = '', place }: ImportedValue): string[] {
  const [name = ''] = text.split(/\s+/);
  const file = fileNamed(name);
  if (folder.files.has(file)) return [file];
  const tell = (message: string) => notes.push({ ...place, message });
  if (/^https?:/.test(name))
    tell(
      `The OpenAPI document is at \`${name}\`, and nothing is fetched: save it as \`openapi.json\` at the top of the folder, and import again with --force.`,
    );
  else if (!isOperation(text)) tell(`There is no OpenAPI document \`${file}\`.`);
  return [];
}

/** The documents that are named, or the only one with a usual name. */
function usedDocuments({ folder }: Reading, named: readonly string[]): ImportedDocument[] {
  const found = [...new Set(named)].filter((file) => folder.files.has(file));
  const usual = [...folder.files].filter((file) => /^openapi\.(?:yaml|yml|json)$/.test(file));
  return (found.length > 0 ? found : usual.slice(0, 1)).map((file) => ({ file }));
}

/** The documents of the folder that a part of the navigation names, by their files. */
export function documentsIn({ folder }: Pick<Reading, 'folder'>, value: ImportedValue): string[] {
  const own = documentsOf(value.get('openapi')).flatMap(
    ({ text = '' }) => text.split(/\s+/)[0] ?? [],
  );
  const lists = [value.get('pages'), value.get('groups')].flatMap((list) => list?.items ?? []);
  const inner = lists.flatMap((one) => {
    if (one.text === undefined) return documentsIn({ folder }, one);
    return documentIn(one.text) ?? [];
  });
  return [...own, ...inner].map(fileNamed).filter((file) => folder.files.has(file));
}
