import { basename, resolve } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';
import { isPage, pagePath } from '@petstore/site/guides/links/site-paths.ts';
import { readSummary, type Summary } from './gitbook-summary.ts';
import type {
  ImportedEntry,
  ImportedRedirect,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import { type ImportedValue, parseValue } from './imported-value.ts';
import { openSource, resolvePath, type SourceFolder } from './source-folder.ts';

/** GitBook's configuration of a site has the name of ours: here it is kept. */
export const GITBOOK_SITE = 'gitbook-docs.yaml';

/**
 * Reads a folder of GitBook's: a space with `SUMMARY.md` and `.gitbook.yaml`, or a site of several spaces, each in a
 * folder of its own. Rejects with UserError where there is neither, or it cannot be read.
 */
export async function readGitBook(outer: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const site = await siteOf(outer);
  if (site) return readSite(outer, site, notes);
  const settings = await settingsOf(outer, '');
  const root = resolvePath(settings?.get('root')?.text ?? '', '.gitbook.yaml');
  if (root === undefined)
    throw new UserError('.gitbook.yaml: `root` leads out of the folder. Name the folder it means.');
  const folder = root === '' ? outer : await openSource(resolve(outer.path, root));
  const space = await readSpace(folder, { directory: '', settings, prefix: '' }, notes);
  return {
    folder,
    title: space.title ?? basename(resolve(outer.path)),
    navigation: space.entries,
    redirects: space.redirects,
    ignore: space.ignore,
  };
}

/** The configuration of a site of several spaces; undefined where there is none. */
async function siteOf(folder: SourceFolder): Promise<SiteFile | undefined> {
  for (const file of ['docs.yaml', GITBOOK_SITE]) {
    if (!folder.files.has(file)) continue;
    const text = await folder.read(file);
    const site = parseValue(text, file).get('site');
    if (site) return { file, text, site };
  }
  return undefined;
}

interface SiteFile {
  readonly file: string;
  readonly text: string;
  readonly site: ImportedValue;
}

async function readSite(
  folder: SourceFolder,
  { file, text, site }: SiteFile,
  notes: Note[],
): Promise<ImportedSite> {
  const tabs: ImportedTab[] = [];
  const redirects: ImportedRedirect[] = [];
  const ignore: string[] = [];
  const directories: string[] = [];
  for (const section of sectionsOf(site.get('structure')?.items ?? [])) {
    const { place } = section;
    const title = section.get('title')?.text ?? 'Documentation';
    const space = spaceOf(section, title, notes);
    if (!space) continue;
    const directory = resolvePath(space.get('content')?.get('directory')?.text ?? '', '') ?? '';
    directories.push(directory);
    // The default section is at the site's root, the default space at that of its section.
    const isDefault = section.get('default')?.isTrue === true;
    const prefix = isDefault ? '' : `/${section.get('path')?.text ?? directory}`;
    const settings = await settingsOf(folder, directory);
    const read = await readSpace(folder, { directory, settings, prefix }, notes);
    redirects.push(...read.redirects);
    ignore.push(...read.ignore);
    tabs.push({ title, icon: section.get('icon')?.text, content: read.entries, place });
  }
  if (tabs.length === 0)
    throw new UserError(`${file}: The site has no section whose space is in a folder.`);
  const outside = [...folder.files].filter(
    (name) => isPage(name) && !isBuiltIn(name) && !directories.some((one) => isIn(name, one)),
  );
  const [only] = tabs;
  return {
    title: site.get('title')?.text ?? basename(resolve(folder.path)),
    navigation: tabs.length === 1 && only ? (only.content as readonly ImportedEntry[]) : tabs,
    redirects,
    ignore: [...ignore, ...outside],
    changes: file === GITBOOK_SITE ? new Map() : new Map([[GITBOOK_SITE, { text }]]),
  };
}

/** Sections and, of groups of sections, those in them. Drafts are not published. */
function sectionsOf(items: readonly ImportedValue[]): ImportedValue[] {
  return items
    .filter((item) => !item.get('draft')?.isTrue)
    .flatMap((item) =>
      item.get('type')?.text === 'section-group'
        ? sectionsOf(item.get('children')?.items ?? [])
        : [item],
    );
}

/** The space of a section that is carried over: the default one, or the first that is in the folder. */
function spaceOf(section: ImportedValue, title: string, notes: Note[]): ImportedValue | undefined {
  const isSpace = section.get('type')?.text === 'space';
  const spaces = isSpace ? [section] : (section.get('children')?.items ?? []);
  const isHere = (one: ImportedValue) => one.get('content')?.get('directory')?.text !== undefined;
  const here = spaces.filter(isHere);
  const chosen = here.find((one) => one.get('default')?.isTrue) ?? here[0];
  const others = spaces.filter((one) => one !== chosen);
  if (others.length > 0 || !chosen) {
    const named = others.map((one) => `“${one.get('title')?.text ?? '?'}”`).join(', ');
    const message = `The section “${title}” has ${chosen ? 'other variants' : 'no space in the folder'}${named && `: ${named}`}. Deploy each to a project of its own.`;
    notes.push({ ...section.place, message });
  }
  return chosen;
}

async function settingsOf(folder: SourceFolder, directory: string) {
  const file = inFolder(directory, '.gitbook.yaml');
  const text = await folder.readHidden(file);
  return text === undefined ? undefined : parseValue(text, file);
}

const inFolder = (directory: string, name: string) => (directory ? `${directory}/${name}` : name);
const isIn = (file: string, directory: string) =>
  directory === '' || file.startsWith(`${directory}/`);
const isBuiltIn = (file: string) => /(?:^|\/)\.gitbook\//.test(file);

interface SpacePlace {
  /** In the folder; empty for the folder itself. */
  readonly directory: string;
  /** `.gitbook.yaml`; undefined where there is none. */
  readonly settings: ImportedValue | undefined;
  /** Where GitBook has its pages: `/developers`, or nothing. */
  readonly prefix: string;
}

interface Space {
  readonly title: string | undefined;
  readonly entries: readonly ImportedEntry[];
  readonly redirects: readonly ImportedRedirect[];
  readonly ignore: readonly string[];
}

async function readSpace(
  folder: SourceFolder,
  { directory, settings, prefix }: SpacePlace,
  notes: Note[],
): Promise<Space> {
  const structure = settings?.get('structure');
  const name = structure?.get('summary')?.text ?? 'SUMMARY.md';
  const file = resolvePath(name, inFolder(directory, '.gitbook.yaml')) ?? name;
  const readme = resolvePath(
    structure?.get('readme')?.text ?? 'README.md',
    inFolder(directory, '.gitbook.yaml'),
  );
  const pages = [...folder.files].filter(
    (one) => isPage(one) && isIn(one, directory) && !isBuiltIn(one),
  );
  const summary = folder.files.has(file)
    ? await readSummary(folder, file, notes)
    : byPath(pages, file, notes, folder);
  const listed = new Set([...summary.pages, readme]);
  const unlisted = pages.filter((one) => !listed.has(one));
  if (unlisted.some((one) => one !== file)) {
    const others = unlisted.filter((one) => one !== file);
    const message = `GitBook does not publish pages that are not in it, and so they are under \`ignore\` in docs.yaml: ${others.slice(0, 5).join(', ')}${others.length > 5 ? `, and ${others.length - 5} more` : ''}.`;
    notes.push({ file, line: undefined, message });
  }
  return {
    title: readme && folder.files.has(readme) ? await headingOf(folder, readme) : undefined,
    entries: summary.entries,
    redirects: [
      ...writtenRedirects(folder, settings, directory, prefix),
      ...moved(folder, summary, directory, prefix),
    ],
    ignore: unlisted,
  };
}

/** Without a summary, all pages. */
function byPath(
  pages: readonly string[],
  summary: string,
  notes: Note[],
  { path }: SourceFolder,
): Summary {
  if (pages.length === 0)
    throw new UserError(
      `${path} has neither \`${summary}\` nor pages: it is no folder of GitBook's.`,
    );
  const place = { file: summary, line: undefined };
  notes.push({ ...place, message: 'There is no such file: all pages are listed, by their paths.' });
  return {
    pages: new Set(pages),
    entries: pages.map((file) => ({ kind: 'page', file, place })),
  };
}

async function headingOf(folder: SourceFolder, file: string): Promise<string | undefined> {
  const [, heading] = /^#[ \t]+(.+?)[ \t#]*$/m.exec(await folder.read(file)) ?? [];
  return heading?.replaceAll(/[*_`]|<[^>]*>/g, '').trim() || undefined;
}

/** `redirects` of `.gitbook.yaml`: former paths in the space, each with a file of it. */
function writtenRedirects(
  folder: SourceFolder,
  settings: ImportedValue | undefined,
  directory: string,
  prefix: string,
): ImportedRedirect[] {
  return [...(settings?.get('redirects')?.members ?? [])].flatMap(([from, value]) => {
    const { text = '', place } = value;
    const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(text) ?? [];
    const file = resolvePath(path, inFolder(directory, '.gitbook.yaml'));
    const isFile = file !== undefined && folder.files.has(file) && isPage(file);
    const to = isFile ? pagePath(file, folder.files) + anchor : text;
    return [{ from: `${prefix}/${from.replace(/^\/+/, '')}`, to, place }];
  });
}

/** Pages that have another address than at GitBook, since their space's folder is in it. */
function moved(
  folder: SourceFolder,
  { pages }: Summary,
  directory: string,
  prefix: string,
): ImportedRedirect[] {
  if (prefix === (directory && `/${directory}`)) return [];
  return [...pages].flatMap((file) => {
    if (!folder.files.has(file)) return [];
    const to = pagePath(file, folder.files);
    const from = prefix + to.slice(directory === '' ? 0 : directory.length + 1);
    const place = { file, line: undefined };
    // The start page is at the root in any case.
    return from === to || from === '' ? [] : [{ from, to, place }];
  });
}
