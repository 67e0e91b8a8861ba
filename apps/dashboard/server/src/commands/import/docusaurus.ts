import { count } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import {
  isImage,
  mediaType,
  pagePath,
  reservedPaths,
} from '@petstore/site/guides/links/site-paths.ts';
import { type Doc, readDocs } from './docusaurus-docs.ts';
import { docusaurusDocuments, optionsOf } from './docusaurus-documents.ts';
import { folderEntries, sidebarEntries } from './docusaurus-sidebar.ts';
import type {
  Change,
  ImportedDocument,
  ImportedEntry,
  ImportedLink,
  ImportedRedirect,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import { type ImportedValue, parseValue } from './imported-value.ts';
import { type Computed, readScript } from './script-values.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

interface Reading {
  readonly folder: SourceFolder;
  readonly config: ImportedValue;
  readonly notes: Note[];
}

/** Docs of a site: those of its preset, or of a plugin. */
interface DocsInstance {
  readonly id: string;
  readonly root: string;
  /** Where Docusaurus has them: `/docs`, or nothing. */
  readonly base: string;
  readonly options: ImportedValue | undefined;
  readonly docs: readonly Doc[];
}

/**
 * Reads a Docusaurus folder. Its configuration and its sidebars are programs, of which literals are read; nothing is
 * run. Rejects with UserError where there is no configuration, or it cannot be parsed.
 */
export async function readDocusaurus(folder: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const file = [...folder.files].find((name) => /^docusaurus\.config\.[cm]?[jt]s$/.test(name));
  if (file === undefined)
    throw new UserError(
      `${folder.path} has no docusaurus.config.js or .ts at its top. Name the folder that has it.`,
    );
  const { value: config, computed } = readScript(await folder.read(file), file);
  tellComputed(
    computed.filter(({ path }) => CARRIED.test(path)),
    notes,
  );
  const at: Reading = { folder, config, notes };
  const instances = await docsInstances(at);
  const navigation = await navigationOf(at, instances);
  const allDocs = instances.flatMap(({ docs }) => docs);
  tellLeftOut(at, instances);
  const theme = config.get('themeConfig');
  const changes = staticFiles(at);
  const documents = docusaurusDocuments(config, folder, notes).map((one) => ({
    ...one,
    file: servedFile(one.file, folder, changes),
  }));
  return {
    title: config.get('title')?.text ?? theme?.get('navbar')?.get('title')?.text ?? 'Documentation',
    navigation,
    redirects: [...pluginRedirects(config), ...moved(allDocs, folder)],
    color: await colorOf(at),
    logo: logoOf(theme?.get('navbar')?.get('logo'), new Set([...folder.files, ...changes.keys()])),
    announcement: announcementOf(theme?.get('announcementBar')),
    header: headerOf(at, allDocs),
    footer: footerOf(theme?.get('footer'), allDocs),
    editUrl: editUrlOf(instances[0]?.options?.get('editUrl')),
    documents,
    ignore: ignoredFiles(folder, instances, documents),
    changes,
  };
}

/** What is carried over of what may be computed. */
const CARRIED =
  /^(?:title|themeConfig\.(?:navbar|footer|announcementBar)|presets\[\d+\]\[1\]\.docs|plugins)(?:\W|$)/;

function tellComputed(computed: readonly Computed[], notes: Note[]): void {
  for (const { file, line, path } of computed) {
    const message = `\`${path || 'A part'}\` is computed, and the program is not run: write its value into docs.yaml where it is needed.`;
    notes.push({ file, line, message });
  }
}

async function docsInstances({ folder, config }: Reading): Promise<DocsInstance[]> {
  const preset = optionsOf(config.get('presets'), /^(?:classic|@docusaurus\/preset-classic)$/)[0];
  const own = preset?.get('docs');
  const all = [
    ...(own?.content === false ? [] : [own]),
    ...optionsOf(config.get('plugins'), /(?:^|\/)(?:plugin-)?content-docs$/),
  ];
  return Promise.all(
    all.map(async (options) => {
      const root = resolvePath(options?.get('path')?.text ?? 'docs', '') ?? 'docs';
      const route = (options?.get('routeBasePath')?.text ?? 'docs').replace(/^\/+|\/+$/g, '');
      const base = route === '' ? '' : `/${route}`;
      const id = options?.get('id')?.text ?? root;
      return { id, root, base, options, docs: await readDocs(folder, root, base) };
    }),
  );
}

async function navigationOf(
  at: Reading,
  instances: readonly DocsInstance[],
): Promise<ImportedSite['navigation']> {
  const found = (await Promise.all(instances.map((one) => sidebarsOf(at, one)))).flat();
  const [first] = found;
  if (!first) throw new UserError(`${at.folder.path} has no pages in its folder of docs.`);
  if (found.length === 1) return first.content as readonly ImportedEntry[];
  const order = navbarItems(at.config).flatMap((item) => item.get('sidebarId')?.text ?? []);
  const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  return found.sort((one, other) => place(one.id) - place(other.id));
}

type Sidebar = ImportedTab & { readonly id: string };

/** The sidebars of docs: those of their file, or one of all pages. */
async function sidebarsOf(
  { folder, config, notes }: Reading,
  docs: DocsInstance,
): Promise<Sidebar[]> {
  const at = { ...docs, folder, notes };
  const titleOf = (id: string) =>
    navbarItems(config)
      .find((item) => item.get('sidebarId')?.text === id)
      ?.get('label')?.text ?? id.replace(/Sidebar$/, '');
  const path = docs.options?.get('sidebarPath')?.text;
  const file = path === undefined ? undefined : resolvePath(path, '');
  if (file !== undefined && folder.files.has(file)) {
    const sidebars = await sidebarFile(folder, file, notes);
    const read = [...sidebars.members].map(async ([id, value]): Promise<Sidebar> => {
      const content = await sidebarEntries(at, value);
      return { id, title: titleOf(id), content, place: value.place };
    });
    return Promise.all(read);
  }
  if (file !== undefined)
    notes.push({
      ...(docs.options as ImportedValue).place,
      message: `There is no \`${file}\`: the sidebar has all pages, as Docusaurus makes one.`,
    });
  const content = await folderEntries(at, '.');
  const place = { file: docs.root, line: undefined };
  return content.length > 0 ? [{ id: docs.id, title: titleOf(docs.id), content, place }] : [];
}

async function sidebarFile(
  folder: SourceFolder,
  file: string,
  notes: Note[],
): Promise<ImportedValue> {
  const text = await folder.read(file);
  if (/\.json$/i.test(file)) return parseValue(text, file);
  const { value, computed } = readScript(text, file);
  tellComputed(computed, notes);
  return value;
}

const navbarItems = (config: ImportedValue): readonly ImportedValue[] =>
  config.get('themeConfig')?.get('navbar')?.get('items')?.items ?? [];

/** Pages that have another address than at Docusaurus: with a number, a slug, or another folder. */
function moved(docs: readonly Doc[], { files }: SourceFolder): ImportedRedirect[] {
  return docs.flatMap(({ file, address, place, isDraft }) => {
    const to = pagePath(file, files);
    return isDraft || address === '' || address === to ? [] : [{ from: address, to, place }];
  });
}

function pluginRedirects(config: ImportedValue): ImportedRedirect[] {
  const [options] = optionsOf(config.get('plugins'), /(?:^|\/)(?:plugin-)?client-redirects$/);
  return (options?.get('redirects')?.items ?? []).flatMap((one) => {
    const from = one.get('from');
    const to = one.get('to')?.text;
    if (!from || to === undefined) return [];
    const all = from.text === undefined ? from.items : [from];
    return all.flatMap(({ text, place }) =>
      text === undefined ? [] : [{ from: text, to, place }],
    );
  });
}

/** `--ifm-color-primary` of the style sheet that the preset names. */
async function colorOf({ folder, config }: Reading): Promise<string | undefined> {
  const preset = optionsOf(config.get('presets'), /^(?:classic|@docusaurus\/preset-classic)$/)[0];
  const custom = preset?.get('theme')?.get('customCss');
  const path = custom?.text ?? custom?.items[0]?.text;
  const file = path === undefined ? undefined : resolvePath(path, '');
  if (file === undefined || !folder.files.has(file)) return undefined;
  const [, color] =
    /--ifm-color-primary:\s*(#(?:[0-9a-f]{6}|[0-9a-f]{3}))\s*;/i.exec(await folder.read(file)) ??
    [];
  return color;
}

function logoOf(logo: ImportedValue | undefined, files: ReadonlySet<string>): ImportedSite['logo'] {
  const fileAt = (key: string) => {
    const file = logo?.get(key)?.text?.replace(/^\/+/, '');
    return file !== undefined && files.has(file) && /\.(?:svg|png)$/i.test(file) ? file : undefined;
  };
  const light = fileAt('src');
  return light === undefined ? undefined : { light, dark: fileAt('srcDark') ?? light };
}

function announcementOf(bar: ImportedValue | undefined): ImportedSite['announcement'] {
  const html = bar?.get('content')?.text;
  if (html === undefined) return undefined;
  const [, link] = /href=["']([^"']+)["']/.exec(html) ?? [];
  const text = html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : { text, link };
}

function headerOf({ config, notes }: Reading, docs: readonly Doc[]): ImportedLink[] {
  return navbarItems(config).flatMap((item): ImportedLink[] => {
    const type = item.get('type')?.text;
    // A tab, or a part of every site.
    if (type === 'docSidebar' || type === 'search') return [];
    if (type !== undefined && !['doc', 'dropdown', 'default'].includes(type)) {
      const message = `An item \`${type}\` of the navbar is left out.`;
      notes.push({ ...item.place, message });
      return [];
    }
    const inner = item.get('items')?.items ?? [];
    return inner.length > 0 ? inner.flatMap((one) => linkOf(one, docs)) : linkOf(item, docs);
  });
}

function footerOf(footer: ImportedValue | undefined, docs: readonly Doc[]): ImportedLink[] {
  return (footer?.get('links')?.items ?? []).flatMap((one) => {
    const inner = one.get('items')?.items ?? [];
    return inner.length > 0 ? inner.flatMap((item) => linkOf(item, docs)) : linkOf(one, docs);
  });
}

function linkOf(item: ImportedValue, docs: readonly Doc[]): ImportedLink[] {
  const doc = docs.find(({ id }) => id === item.get('docId')?.text);
  const url = doc?.file ?? (item.get('to') ?? item.get('href'))?.text;
  if (url === undefined) return [];
  // Both ways are usual for a path of the site.
  const isPath = !doc && !/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(url);
  const { place } = item;
  const title = item.get('label')?.text ?? url;
  return [{ kind: 'link', title, url: isPath ? `/${url}` : url, place }];
}

function editUrlOf(value: ImportedValue | undefined): string | undefined {
  const text = value?.text;
  return text?.startsWith('https://') ? `${text.replace(/\/*$/, '/')}{path}` : undefined;
}

const STATIC = 'static';

/** Files that Docusaurus serves from the root: they are copied there, so that `/img/x.png` is what it was. */
function staticFiles({ folder, config, notes }: Reading): Map<string, Change> {
  const folders = config.get('staticDirectories')?.items.flatMap(({ text }) => text ?? []);
  const changes = new Map<string, Change>();
  const reserved = reservedPaths([{}]);
  const others: string[] = [];
  for (const root of folders ?? [STATIC]) {
    const start = `${resolvePath(root, '') ?? STATIC}/`;
    for (const file of [...folder.files].filter((name) => name.startsWith(start))) {
      const target = file.slice(start.length);
      const isServed = isImage(file) || mediaType(file) !== undefined;
      if (!isServed || reserved.has(`/${target}`)) others.push(file);
      else if (!folder.files.has(target)) changes.set(target, { copyOf: file });
    }
  }
  if (others.length > 0)
    notes.push({
      ...{ file: STATIC, line: undefined },
      message: `Not served, for their kind or since a site has its own: ${others.slice(0, 5).join(', ')}${others.length > 5 ? `, and ${others.length - 5} more` : ''}.`,
    });
  return changes;
}

/** A document in `static/` is copied to the top as all files there are, and what it refers to with it. */
function servedFile(file: string, { files }: SourceFolder, changes: Map<string, Change>): string {
  if (!file.startsWith(`${STATIC}/`)) return file;
  const target = file.slice(STATIC.length + 1);
  if (!files.has(target)) changes.set(target, { copyOf: file });
  return target;
}

/** All that is beside the docs: the site's program, its blog, its other versions and languages. */
function ignoredFiles(
  { files }: SourceFolder,
  instances: readonly DocsInstance[],
  documents: readonly ImportedDocument[],
): string[] {
  const roots = instances.map(({ root }) => root);
  const tops = new Set(
    [...files].map((file) => (file.includes('/') ? `${file.slice(0, file.indexOf('/'))}/` : file)),
  );
  const isDocs = (top: string) => roots.some((root) => `${root}/`.startsWith(top));
  const isOurs = (top: string) =>
    /^(?:docs\.ya?ml|openapi\.(?:ya?ml|json))$/.test(top) ||
    documents.some(({ file }) => (top.endsWith('/') ? file.startsWith(top) : file === top));
  return [...tops].filter((top) => !isDocs(top) && !isOurs(top));
}

function tellLeftOut({ folder, config, notes }: Reading, instances: readonly DocsInstance[]): void {
  const has = (start: string) => [...folder.files].some((file) => file.startsWith(start));
  const tell = (file: string, message: string) => notes.push({ file, line: undefined, message });
  if (has('blog/'))
    tell(
      'blog',
      'Sites have no blog: its posts are left out. Keep it where it is, and link to it.',
    );
  if (has('versioned_docs/') || has('versions.json'))
    tell('versioned_docs', 'The current docs are carried over, and not their other versions.');
  const parts = [...folder.files].filter(
    (file) =>
      instances.some(({ root }) => file.startsWith(`${root}/`)) && /\/_[^/]*\.mdx?$/i.test(file),
  );
  if (parts[0])
    tell(
      parts[0],
      `Parts of pages are pages here, without an entry in the navigation: ${count(parts.length, 'file')} whose name begins with \`_\`. Move them into a folder \`snippets\`, whose files are none.`,
    );
  if (has('i18n/'))
    tell('i18n', 'Translations are left out: deploy each language to a project of its own.');
  if (has('src/pages/'))
    tell(
      'src/pages',
      'Pages that are programs are left out: the first page of the navigation is the start page.',
    );
  const theme = config.get('themeConfig');
  const advice: readonly (readonly [ImportedValue | undefined, string])[] = [
    [
      config.get('favicon'),
      '`favicon` is not carried over. Save the icon as `favicon.svg` at the top.',
    ],
    [config.get('scripts'), '`scripts` are not carried over: sites load no scripts of others.'],
    [theme?.get('algolia'), '`algolia` is not carried over: sites have a search of their own.'],
    [theme?.get('footer')?.get('copyright'), 'The footer has links only: `copyright` is left out.'],
    ...instances.flatMap(({ options }) =>
      ['remarkPlugins', 'rehypePlugins'].map(
        (key) => [options?.get(key), `\`${key}\` are programs, which are not run.`] as const,
      ),
    ),
  ];
  for (const [value, message] of advice) if (value) notes.push({ ...value.place, message });
}
