import { basename, resolve } from 'node:path';
import { count } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { pagePath } from '@petstore/site/guides/links/site-paths.ts';
import { isDocument } from '@petstore/site/openapi/bundle/find-documents.ts';
import type {
  Change,
  ImportedDocument,
  ImportedEntry,
  ImportedRedirect,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import { frontMatter, type ImportedValue } from './imported-value.ts';
import { linkTo, rewritePage, type SlugTargets } from './readme-blocks.ts';
import { type ReferencePages, readReferencePages } from './reference-pages.ts';
import type { SourceFolder } from './source-folder.ts';

interface Page {
  readonly file: string;
  readonly slug: string;
  readonly matter: ImportedValue;
  readonly text: string;
}

interface Reading {
  readonly folder: SourceFolder;
  readonly notes: Note[];
  readonly pages: ReadonlyMap<string, Page>;
}

/** The folders with pages, by the tab that they become. */
const TABS: Readonly<Record<string, string>> = {
  docs: 'Guides',
  recipes: 'Recipes',
  custom_pages: 'Pages',
};

/** Reads a repository or an export of ReadMe's. Rejects with UserError where it has no `docs` folder. */
export async function readReadMe(folder: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const files = [...folder.files].filter((file) => /\.mdx?$/i.test(file));
  if (!files.some((file) => file.startsWith('docs/')))
    throw new UserError(
      `${folder.path} has no pages in a folder \`docs\`, where ReadMe has them. Name the folder above it.`,
    );
  const pages = new Map<string, Page>();
  for (const file of files) {
    const text = await folder.read(file);
    const matter = frontMatter(text, file);
    pages.set(file, { file, text, matter, slug: matter.get('slug')?.text ?? nameOf(file) });
  }
  const at: Reading = { folder, notes, pages };
  const documents = await documentsOf(at);
  const hasReference = documents.length > 0;
  const operations = [...pages.values()].filter(isOperation);
  const reference = await readReferencePages(folder, documents);
  const navigation = await navigationOf(at, hasReference);
  const published = [...pages.values()].filter(
    (page) => isPublished(page.file) && !operations.includes(page),
  );
  tellLeftOut(at);
  return {
    title: basename(resolve(folder.path)),
    navigation,
    redirects: [
      // The page of a group is that of its tag, where the reference has one.
      ...published
        .flatMap((page) => redirectOf(page, folder))
        .filter(({ from }) => !reference.paths.has(from)),
      ...operations.flatMap((page) => operationRedirect(page, reference)),
    ],
    documents,
    referencePaths: reference.paths,
    ignore: [
      ...[...folder.files].filter((file) => !file.includes('/') && /\.mdx?$/i.test(file)),
      ...operations.map(({ file }) => file),
      ...['custom_blocks/'].filter((root) => files.some((file) => file.startsWith(root))),
    ],
    changes: rewritten(published, targetsOf(at, hasReference), notes),
  };
}

const isPublished = (file: string) => /^(?:docs|reference|recipes|custom_pages)\//.test(file);

/** The last part of a page's address: of `index.md` the folder's name. */
function nameOf(file: string): string {
  const name = basename(file).replace(/\.mdx?$/i, '');
  return name === 'index' ? basename(file.slice(0, file.lastIndexOf('/'))) : name;
}

/** A page that stands for an operation of a document: the reference has it. */
const isOperation = ({ file, matter }: Page) =>
  file.startsWith('reference/') && matter.get('api') !== undefined;

/** The OpenAPI documents at the top and in `reference/`. */
async function documentsOf({ folder }: Reading): Promise<ImportedDocument[]> {
  const found = [...folder.files].filter(
    (file) =>
      /^(?:reference\/)?[^/]+\.(?:json|ya?ml)$/i.test(file) && !/(?:^|\/)_order\.yaml$/.test(file),
  );
  const named = found.filter((file) => !/^(?:docs\.ya?ml|package(?:-lock)?\.json)$/.test(file));
  const read = await Promise.all(
    named.map(async (file) => isDocument(file, Buffer.from(await folder.read(file)))),
  );
  return named.filter((_, at) => read[at]).map((file) => ({ file }));
}

async function navigationOf(
  at: Reading,
  hasReference: boolean,
): Promise<ImportedSite['navigation']> {
  const tabs: ImportedTab[] = [];
  for (const [root, title] of Object.entries(TABS)) {
    const content = await folderEntries(at, root);
    if (root === 'docs') content.push(...(await referencePages(at)));
    if (content.length > 0) tabs.push({ title, content, place: { file: root, line: undefined } });
  }
  const place = { file: 'reference', line: undefined };
  const [guides] = tabs;
  if (tabs.length === 1 && !hasReference) return (guides?.content ?? []) as ImportedEntry[];
  return hasReference
    ? [...tabs, { title: 'API reference', content: { reference: true }, place }]
    : tabs;
}

/** Pages of the reference that are no operations. */
async function referencePages(at: Reading): Promise<ImportedEntry[]> {
  const entries = await folderEntries(at, 'reference');
  const place = { file: 'reference', line: undefined };
  return entries.length > 0 ? [{ kind: 'group', title: 'API', entries, place }] : [];
}

/** The entries of a folder, in the order of its `_order.yaml`, then by `order` of the front matter, then by name. */
async function folderEntries(at: Reading, root: string): Promise<ImportedEntry[]> {
  const own = [...at.pages.keys()].filter((file) => file.startsWith(`${root}/`));
  const names = new Set(own.map((file) => file.slice(root.length + 1).split('/')[0] ?? ''));
  const order = await orderOf(at, root);
  const sorted = [...names]
    .map((name) => ({ name, rank: rankOf(at, root, name, order) }))
    .sort((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  const entries: ImportedEntry[] = [];
  for (const { name } of sorted) {
    const path = `${root}/${name}`;
    const page = at.pages.get(path);
    if (!page) entries.push(...(await groupEntries(at, path)));
    else if (!/^index\.mdx?$/i.test(name) && !isOperation(page)) entries.push(pageEntry(page));
  }
  return entries;
}

async function groupEntries(at: Reading, path: string): Promise<ImportedEntry[]> {
  const index = at.pages.get(`${path}/index.md`) ?? at.pages.get(`${path}/index.mdx`);
  const entries = await folderEntries(at, path);
  const isShown = index && !isOperation(index) && index.matter.get('hidden')?.isTrue !== true;
  if (entries.length === 0) return index && !isOperation(index) ? [pageEntry(index)] : [];
  const title = index?.matter.get('title')?.text ?? basename(path);
  const place = { file: path, line: undefined };
  return [{ kind: 'group', title, page: isShown ? index.file : undefined, entries, place }];
}

function pageEntry({ file, matter }: Page): ImportedEntry {
  const isHidden = matter.get('hidden')?.isTrue === true;
  const place = { file, line: 1 };
  return { kind: 'page', file, icon: matter.get('icon')?.text, isHidden, place };
}

/** The names in `_order.yaml`: categories, or pages without their endings. */
async function orderOf({ folder }: Reading, root: string): Promise<readonly string[]> {
  const file = `${root}/_order.yaml`;
  if (!folder.files.has(file)) return [];
  return (await folder.readValue(file)).items.flatMap(({ text }) => text ?? []);
}

function rankOf(at: Reading, root: string, name: string, order: readonly string[]): number {
  const place = order.indexOf(name.replace(/\.mdx?$/i, ''));
  if (place >= 0) return place;
  const own = at.pages.get(`${root}/${name}`)?.matter.get('order')?.number;
  return order.length + (own ?? UNORDERED);
}

/** Behind all that have an order. */
const UNORDERED = 1_000_000;

/** ReadMe has pages at `/docs/slug`, whatever their category is. */
function redirectOf({ file, slug }: Page, { files }: SourceFolder): ImportedRedirect[] {
  const [root = ''] = file.split('/');
  const place = { file, line: undefined };
  const from = root === 'custom_pages' ? `/page/${slug}` : `/${root}/${slug}`;
  const to = linkTo(pagePath(file, files));
  return from === to ? [] : [{ from, to, place }];
}

/** ReadMe has an operation at the slug of its page. */
function operationRedirect(page: Page, reference: ReferencePages): ImportedRedirect[] {
  const { file, slug, matter } = page;
  const api = matter.get('api');
  const to = reference.operationById(
    api?.get('operationId')?.text ?? '',
    api?.get('file')?.text,
  )?.path;
  const from = `/reference/${slug}`;
  if (to === undefined || to === from || reference.paths.has(from)) return [];
  return [{ from, to, place: { file, line: undefined } }];
}

function targetsOf({ folder, pages }: Reading, hasReference: boolean): SlugTargets {
  const targets = new Map<string, string>();
  for (const page of pages.values()) {
    if (!isPublished(page.file)) continue;
    const id = page.matter.get('api')?.get('operationId')?.text;
    const operation = hasReference && id !== undefined ? `operation:${id}` : undefined;
    const path = linkTo(pagePath(page.file, folder.files));
    const target = isOperation(page) ? (operation ?? '/reference') : path;
    targets.set(page.slug, target).set(`${placeOf(page)}:${page.slug}`, target);
  }
  return targets;
}

/** What stands before the slug in links to a page. */
function placeOf({ file }: Page): string {
  if (file.startsWith('custom_pages/')) return 'page';
  return file.startsWith('reference/') ? 'ref' : 'doc';
}

function rewritten(
  pages: readonly Page[],
  targets: SlugTargets,
  notes: Note[],
): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  for (const { file, text } of pages) {
    const changed = rewritePage(text, file, targets, notes);
    if (changed !== text) changes.set(file, { text: changed });
  }
  return changes;
}

/** Images that ReadMe has taken when they were put into a page. */
const HOSTED = /https:\/\/files\.readme\.io\/[^\s)"'>]+\.(?:png|jpe?g|gif|svg|webp)/gi;

function tellLeftOut({ folder, notes, pages }: Reading): void {
  const tell = (file: string, message: string) => notes.push({ file, line: undefined, message });
  tell(
    'docs',
    'An export has no title, logo, colours and links: write `title` and the others into docs.yaml.',
  );
  if ([...folder.files].some((file) => file.startsWith('custom_blocks/')))
    tell(
      'custom_blocks',
      'Blocks of your own are left out: write their text into the pages that show them.',
    );
  const html = [...folder.files].filter((file) => /^custom_pages\/.*\.html$/i.test(file));
  if (html.length > 0)
    tell(
      'custom_pages',
      `Pages in HTML are left out: ${html.slice(0, 5).join(', ')}${html.length > 5 ? ', …' : ''}.`,
    );
  const images = [...pages.values()].flatMap(({ text }) => text.match(HOSTED) ?? []).length;
  if (images > 0)
    tell(
      'docs',
      `${count(images, 'image')} are on ReadMe's own host, from which pages load nothing: they are links. Save them in the folder, and write their paths.`,
    );
  const variables = [...pages.values()].filter(({ text }) => /<<[\w-]+>>/.test(text));
  if (variables.length > 0)
    tell(
      variables[0]?.file ?? '',
      `Variables such as \`<<name>>\` stay as they are, in ${variables.length} of the pages: write their values.`,
    );
}
