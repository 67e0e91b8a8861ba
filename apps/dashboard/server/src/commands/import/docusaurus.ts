import { UserError } from '@petstore/service/user-error.ts';
import { pagePath } from '@petstore/site/guides/links/site-paths.ts';
import { type Doc, readDocs } from './docusaurus-docs.ts';
import { docusaurusDocuments, optionsOf } from './docusaurus-documents.ts';
import { inWords, leadsInto, navbarItems } from './docusaurus-navbar.ts';
import { insideName, isOutside, withOutsideDocs } from './docusaurus-outside.ts';
import type { DocsInstance, Reading } from './docusaurus-reading.ts';
import {
  announcementOf,
  colorOf,
  editUrlOf,
  faviconOf,
  footerOf,
  headerOf,
  logoOf,
  tellLeftOut,
  versionFolders,
} from './docusaurus-settings.ts';
import { folderEntries, sidebarEntries } from './docusaurus-sidebar.ts';
import { ignoredFiles, servedFile, staticFiles, topOf } from './docusaurus-static.ts';
import type {
  ImportedEntry,
  ImportedRedirect,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import { type ImportedValue, parseValue } from './imported-value.ts';
import { type Computed, readScript } from './script-values.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

/**
 * Reads a Docusaurus folder. Its configuration and its sidebars are programs, of which literals are read; nothing is
 * run. Rejects with UserError where there is no configuration, or it cannot be parsed.
 */
export async function readDocusaurus(source: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const file = [...source.files].find((name) => /^docusaurus\.config\.[cm]?[jt]s$/.test(name));
  if (file === undefined)
    throw new UserError(
      `${source.path} has no docusaurus.config.js or .ts at its top. Name the folder that has it.`,
    );
  const { value: config, computed } = readScript(await source.read(file), file);
  tellComputed(
    computed.filter(({ path }) => CARRIED.test(path)),
    notes,
  );
  const paths = docsOptions(config).flatMap((options) => options?.get('path') ?? []);
  const { folder, changes: copies } = await withOutsideDocs(source, paths);
  const at: Reading = { folder, config, notes };
  const instances = await docsInstances(at);
  const navigation = await navigationOf(at, instances);
  const allDocs = instances.flatMap(({ docs }) => docs);
  const versions = folder.files.has('versions.json')
    ? (await folder.readValue('versions.json')).items.flatMap(({ text }) => text ?? [])
    : versionFolders(folder);
  tellLeftOut(at, instances, versions);
  const theme = config.get('themeConfig');
  const atTop = staticFiles(at);
  const documents = docusaurusDocuments(config, folder, notes).map((one) => ({
    ...one,
    file: servedFile(one.file, atTop),
  }));
  const changes = new Map([...copies, ...atTop].filter(([target]) => !source.files.has(target)));
  const served = new Set([...folder.files, ...changes.keys()]);
  return {
    folder,
    title: config.get('title')?.text ?? theme?.get('navbar')?.get('title')?.text ?? 'Documentation',
    navigation,
    redirects: [...pluginRedirects(config), ...moved(allDocs, folder)],
    color: await colorOf(at),
    favicon: faviconOf(config.get('favicon'), served),
    logo: logoOf(theme?.get('navbar')?.get('logo'), served),
    announcement: announcementOf(theme?.get('announcementBar')),
    header: headerOf(at, allDocs, navigation),
    footer: footerOf(theme?.get('footer'), allDocs),
    editUrl: editUrlOf(instances[0]?.options),
    documents,
    ignore: ignoredFiles(folder, instances, new Set([...atTop.keys()].map(topOf)), documents),
    changes,
  };
}

/** What is carried over of what may be computed. */
const CARRIED =
  /^(?:title|favicon|themeConfig\.(?:navbar|footer\.links|announcementBar)|presets\[\d+\]\[1\]\.docs(?:\.(?:path|routeBasePath|sidebarPath|editUrl)|$)|plugins)(?:\W|$)/;

function tellComputed(computed: readonly Computed[], notes: Note[]): void {
  for (const { file, line, path } of computed) {
    const message = `\`${path || 'A part'}\` is computed, and the program is not run: write its value into docs.yaml where it is needed.`;
    notes.push({ file, line, message });
  }
}

/** The options of all docs: undefined where the preset's are left to their defaults. */
function docsOptions(config: ImportedValue): (ImportedValue | undefined)[] {
  const preset = optionsOf(config.get('presets'), /^(?:classic|@docusaurus\/preset-classic)$/)[0];
  const own = preset?.get('docs');
  return [
    ...(own?.content === false ? [] : [own]),
    ...optionsOf(config.get('plugins'), /(?:^|\/)(?:plugin-)?content-docs$/),
  ];
}

async function docsInstances({ folder, config }: Reading): Promise<DocsInstance[]> {
  return Promise.all(
    docsOptions(config).map(async (options) => {
      const path = options?.get('path')?.text ?? 'docs';
      const root = isOutside(path) ? insideName(path) : (resolvePath(path, '') ?? 'docs');
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
  const titleOf = (id: string, content: readonly ImportedEntry[] = []) =>
    navbarItems(config)
      .find((item) => item.get('sidebarId')?.text === id || leadsInto(item, content, docs.docs))
      ?.get('label')?.text ?? inWords(id);
  const path = docs.options?.get('sidebarPath')?.text;
  const file = path === undefined ? undefined : resolvePath(path, '');
  if (file !== undefined && folder.files.has(file)) {
    const sidebars = await sidebarFile(folder, file, notes);
    const read = [...sidebars.members].map(async ([id, value]): Promise<Sidebar> => {
      const content = await sidebarEntries(at, value);
      return { id, title: titleOf(id, content), content, place: value.place };
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
