import { count } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { isIgnored } from '@petstore/site/guides/ignored-files.ts';
import { isPage } from '@petstore/site/guides/links/site-paths.ts';
import type {
  ImportedDocument,
  ImportedEntry,
  ImportedLink,
  ImportedRedirect,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import { frontMatter, ImportedValue } from './imported-value.ts';
import { pageFile, resolvePath, type SourceFolder } from './source-folder.ts';

interface Reading {
  readonly folder: SourceFolder;
  readonly notes: Note[];
  /** Documents that the navigation names, in its order. */
  readonly documents: Set<string>;
}

/** Reads `docs.json`, or the older `mint.json`. Rejects with UserError where there is neither, or it cannot be read. */
export async function readMintlify(folder: SourceFolder, notes: Note[]): Promise<ImportedSite> {
  const file = ['docs.json', 'mint.json'].find((name) => folder.files.has(name));
  if (file === undefined)
    throw new UserError(
      `${folder.path} has neither docs.json nor mint.json at its top, where Mintlify has its configuration. Name the folder that has one.`,
    );
  const config = await withFiles(await folder.readValue(file), folder, 0);
  const at: Reading = { folder, notes, documents: new Set() };
  for (const named of documentsOf(config.get('api')?.get('openapi') ?? config.get('openapi')))
    addDocument(at, named);
  const isOld = config.get('navigation')?.items.length !== 0;
  const navigation = isOld ? oldNavigation(at, config) : newNavigation(at, config);
  await readOperationPages(at);
  const documents = usedDocuments(at);
  const { header, footer } = linksOf(config);
  tellLeftOut(config, notes);
  return {
    title: config.get('name')?.text ?? 'Documentation',
    navigation: withReferences(navigation, documents),
    redirects: redirectsOf(config),
    variables: variablesOf(config.get('variables'), notes),
    color: colorOf(config, notes),
    logo: logoOf(at, config.get('logo')),
    announcement: bannerOf(config.get('banner'), notes),
    ...{ header, footer, documents },
    ignore: await ignoredFiles(at),
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

// Navigation.

/** What divides a navigation, and how each of its parts is called. */
const DIVISIONS: Readonly<Record<string, string>> = {
  products: 'product',
  tabs: 'tab',
  dropdowns: 'dropdown',
  anchors: 'anchor',
  menu: 'item',
};

/** Of these one is read: a site has one language and one version. */
const CHOICES: Readonly<Record<string, string>> = { languages: 'language', versions: 'version' };

function newNavigation(at: Reading, config: ImportedValue): ImportedSite['navigation'] {
  const navigation = chosen(at, config.get('navigation') ?? config);
  const own = ownEntries(at, navigation, false);
  const divisions = divisionsOf(navigation);
  const isOff = ({ value }: Division) => value.get('hidden')?.isTrue === true;
  const tabs = divisions
    .filter((one) => !isOff(one))
    .flatMap(({ value, title }) => tabOf(at, value, title));
  own.push(
    ...divisions.filter(isOff).flatMap(({ value }) => entriesOf(at, chosen(at, value), true)),
  );
  const isHidden = own.every((one) => one.kind === 'page' && one.isHidden);
  const [first] = tabs.filter(({ content }) => Array.isArray(content));
  if (tabs.length === 0) return own;
  if (first && isHidden) {
    const content = [...(first.content as readonly ImportedEntry[]), ...own];
    return tabs.map((tab) => (tab === first ? { ...first, content } : tab));
  }
  const { place } = navigation;
  return [{ title: 'Documentation', content: own, place }, ...tabs];
}

/** The languages' and versions' part that is carried over. */
function chosen(at: Reading, navigation: ImportedValue): ImportedValue {
  for (const [key, name] of Object.entries(CHOICES)) {
    const all = navigation.get(key)?.items ?? [];
    const first = all.find((one) => one.get('default')?.isTrue) ?? all[0];
    if (!first) continue;
    const others = all.filter((one) => one !== first);
    const named = others.map((one) => one.get(name)?.text ?? one.get('$ref')?.text ?? '?');
    if (others.length > 0)
      at.notes.push({
        ...(others[0] as ImportedValue).place,
        message: `Of the ${key}, ${first.get(name)?.text ?? 'the first one'} is carried over, and not ${named.join(', ')}: deploy each to a project of its own. Pages of those are published, without an entry in the navigation, as long as they are in the folder.`,
      });
    return chosen(at, first);
  }
  return navigation;
}

interface Division {
  readonly value: ImportedValue;
  readonly title: string;
}

function divisionsOf(value: ImportedValue): Division[] {
  return Object.entries(DIVISIONS).flatMap(([key, name]) =>
    (value.get(key)?.items ?? []).map((one) => ({
      value: one,
      title: one.get(name)?.text ?? one.get('name')?.text ?? name,
    })),
  );
}

function tabOf(at: Reading, value: ImportedValue, title: string): ImportedTab[] {
  const { place } = value;
  const icon = iconName(value.get('icon'));
  const inner = chosen(at, value);
  const content = entriesOf(at, inner, false);
  const url = value.get('href')?.text;
  const hasPages = content.some(hasPage);
  if (hasPages) return [{ title, icon, content, place }];
  if (url !== undefined) return [{ title, icon, content: { url }, place }];
  const hasOperations = value.get('openapi') !== undefined || hasOperation(inner);
  const named = new Set([...documentsIn(at, value), ...documentsIn(at, inner)]);
  if (hasOperations) return [{ title, icon, content: referenceOf(named), place }];
  return content.length > 0 ? [{ title, icon, content, place }] : [];
}

/** Whether an entry is a page or a link, or a group that has one: groups of operations alone have none. */
const hasPage = (entry: ImportedEntry): boolean =>
  entry.kind !== 'group' || entry.page !== undefined || entry.entries.some(hasPage);

/** Whether there is an entry such as `GET /pets`, or a group of a document's. */
function hasOperation(value: ImportedValue): boolean {
  if (value.get('openapi')) return true;
  const inner = [value.get('pages'), value.get('groups')].flatMap((list) => list?.items ?? []);
  return inner.some((one) => isOperation(one.text) || hasOperation(one));
}

const OPERATION =
  /^(?:\S+\.(?:json|ya?ml)\s+)?(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|WEBHOOK|QUERY)\s+\S/i;
const isOperation = (text = '') => OPERATION.test(text);

/** The entries below a value: its pages and groups, and its divisions as groups. */
function entriesOf(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  const groups = divisionsOf(value).flatMap(({ value: one, title }): ImportedEntry[] => {
    const { place } = one;
    const icon = iconName(one.get('icon'));
    const url = one.get('href')?.text;
    const isOff = isHidden || one.get('hidden')?.isTrue === true;
    const entries = entriesOf(at, chosen(at, one), isOff);
    if (entries.length > 0) return [{ kind: 'group', title, icon, entries, place }];
    return url === undefined ? [] : [{ kind: 'link', title, icon, url, place }];
  });
  return [...ownEntries(at, value, isHidden), ...groups];
}

/** The pages and groups of a value. */
function ownEntries(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  for (const named of documentsOf(value.get('openapi'))) addDocument(at, named);
  const pages = value.get('pages')?.items ?? [];
  const groups = value.get('groups')?.items ?? [];
  return [
    ...pages.flatMap((one) => entryOf(at, one, isHidden)),
    ...groups.flatMap((one) => groupOf(at, one, isHidden)),
  ];
}

function entryOf(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  const { text, place } = value;
  if (text === undefined) return groupOf(at, value, isHidden);
  if (isOperation(text)) {
    const [document] = text.split(/\s+/);
    if (document && /\.(?:json|ya?ml)$/.test(document))
      at.documents.add(document.replace(/^\//, ''));
    const message = `\`${text}\` is an operation: the reference has a page for it, and the navigation lists pages of guides only.`;
    at.notes.push({ ...place, message });
    return [];
  }
  if (/^https?:\/\//.test(text)) return [{ kind: 'link', title: text, url: text, place }];
  const file = pageFile(at.folder, text);
  if (file !== undefined) return [{ kind: 'page', file, isHidden, place }];
  const message = `There is no page \`${text}\` (.mdx or .md): the entry is left out.`;
  at.notes.push({ ...place, message });
  return [];
}

function groupOf(at: Reading, value: ImportedValue, isOff: boolean): ImportedEntry[] {
  const { place } = value;
  const title = value.get('group')?.text ?? value.get('title')?.text;
  const isHidden = isOff || value.get('hidden')?.isTrue === true;
  const entries = ownEntries(at, value, isHidden);
  const divided = divisionsOf(value).length > 0 ? entriesOf(at, value, isHidden) : entries;
  const root = value.get('root')?.text;
  const page = root === undefined ? undefined : pageFile(at.folder, root);
  if (root !== undefined && page === undefined)
    at.notes.push({ ...place, message: `There is no page \`${root}\`, the group's own one.` });
  if (title === undefined) return divided;
  // Hidden pages need no heading.
  if (isHidden) {
    const own: ImportedEntry[] = page ? [{ kind: 'page', file: page, isHidden, place }] : [];
    return [...own, ...divided];
  }
  const icon = iconName(value.get('icon'));
  return [{ kind: 'group', title, icon, page, entries: divided, place }];
}

const iconName = (value: ImportedValue | undefined) => value?.text ?? value?.get('name')?.text;

/** The navigation of a `mint.json`: groups in a list, which tabs and anchors divide by the folders of their pages. */
function oldNavigation(at: Reading, config: ImportedValue): ImportedSite['navigation'] {
  const groups = (config.get('navigation')?.items ?? []).map((value) => ({
    value,
    entries: groupOf(at, value, false),
  }));
  const parts = [...(config.get('tabs')?.items ?? []), ...(config.get('anchors')?.items ?? [])];
  const rest = new Set(groups);
  const tabs = parts.flatMap((part): ImportedTab[] => {
    const title = part.get('name')?.text ?? 'Tab';
    const url = part.get('url')?.text ?? '';
    const { place } = part;
    const icon = iconName(part.get('icon'));
    if (/^[a-z]+:/i.test(url)) return [{ title, icon, content: { url }, place }];
    const own = [...rest].filter(({ value }) => firstPage(value)?.startsWith(`${url}/`));
    for (const one of own) rest.delete(one);
    const content = own.flatMap(({ entries }) => entries);
    for (const named of documentsOf(part.get('openapi'))) addDocument(at, named);
    if (content.length > 0) return [{ title, icon, content, place }];
    const reference = referenceOf(new Set(documentsIn(at, part)));
    return part.get('openapi') ? [{ title, icon, content: reference, place }] : [];
  });
  const entries = [...rest].flatMap((one) => one.entries);
  if (tabs.length === 0) return entries;
  const title = config.get('primaryTab')?.get('name')?.text ?? 'Documentation';
  const { place } = config;
  return entries.length > 0 ? [{ title, content: entries, place }, ...tabs] : tabs;
}

/** The first page below a group, as it is written. */
function firstPage(group: ImportedValue): string | undefined {
  const [first] = group.get('pages')?.items ?? [];
  return first?.text ?? (first && firstPage(first));
}

// The reference.

/** What `openapi` names: a file, several of them, or `{source}`. */
function documentsOf(value: ImportedValue | undefined): ImportedValue[] {
  if (!value) return [];
  if (value.text !== undefined) return [value];
  const source = value.get('source');
  return source ? [source] : value.items.flatMap(documentsOf);
}

function addDocument({ folder, notes, documents }: Reading, value: ImportedValue): void {
  const { text = '', place } = value;
  const [name = ''] = text.split(/\s+/);
  const file = name.replace(/^\/+/, '');
  if (folder.files.has(file)) documents.add(file);
  else if (/^https?:/.test(name)) {
    const message = `The OpenAPI document is at \`${name}\`, and nothing is fetched: save it in the folder, and name it as \`openapi\` in docs.yaml.`;
    notes.push({ ...place, message });
  } else if (!isOperation(text)) {
    notes.push({ ...place, message: `There is no OpenAPI document \`${file}\`.` });
  }
}

/** The documents that are named, or the only one with a usual name. */
function usedDocuments({ folder, documents }: Reading): ImportedDocument[] {
  const named = [...documents].filter((file) => folder.files.has(file));
  const usual = [...folder.files].filter((file) => /^openapi\.(?:yaml|yml|json)$/.test(file));
  return (named.length > 0 ? named : usual.slice(0, 1)).map((file) => ({ file }));
}

/** The documents of the folder that a part of the navigation names, by their files. */
function documentsIn(at: Reading, value: ImportedValue): string[] {
  const own = documentsOf(value.get('openapi')).flatMap(
    ({ text = '' }) => text.split(/\s+/)[0] ?? [],
  );
  const lists = [value.get('pages'), value.get('groups')].flatMap((list) => list?.items ?? []);
  const inner = lists.flatMap((one) => {
    if (one.text === undefined) return documentsIn(at, one);
    return isOperation(one.text) ? (one.text.split(/\s+/)[0] ?? []) : [];
  });
  return [...own, ...inner]
    .map((name) => name.replace(/^\/+/, ''))
    .filter((file) => at.folder.files.has(file));
}

/** What a tab of these documents shows: the only one's reference, or all. */
const referenceOf = (files: ReadonlySet<string>): { readonly reference: string | true } => {
  const [first, second] = files;
  return { reference: first === undefined || second !== undefined ? true : first };
};

/** Of tabs for the same reference one is kept, and none without a document. */
function withReferences(
  navigation: ImportedSite['navigation'],
  documents: readonly ImportedDocument[],
): ImportedSite['navigation'] {
  const shown = new Set<string | true>();
  return navigation.filter((one) => {
    if (!('content' in one) || !('reference' in one.content)) return true;
    // Of one document there is one reference.
    const reference = documents.length > 1 ? one.content.reference : true;
    const isNew = documents.length > 0 && !shown.has(reference);
    shown.add(reference);
    return isNew;
  }) as ImportedSite['navigation'];
}

// Everything else.

function colorOf(config: ImportedValue, notes: Note[]): string | undefined {
  const color = config.get('colors')?.get('primary');
  if (!color?.text) return undefined;
  // The last two digits of eight are for transparency.
  const [hex] = /^#(?:[0-9a-f]{6}|[0-9a-f]{3})(?=(?:[0-9a-f]{2})?$)/i.exec(color.text) ?? [];
  if (hex === undefined)
    notes.push({ ...color.place, message: `\`${color.text}\` is no colour such as #0a58ca.` });
  return hex;
}

function logoOf({ folder, notes }: Reading, logo: ImportedValue | undefined): ImportedSite['logo'] {
  const named = logo?.text === undefined ? [logo?.get('light'), logo?.get('dark')] : [logo, logo];
  const [light, dark] = named.map((value) => value?.text?.replace(/^\/+/, ''));
  const file = light ?? dark;
  if (!logo || file === undefined) return undefined;
  const both = { light: light ?? file, dark: dark ?? file };
  const unfit = [both.light, both.dark].find(
    (name) => !folder.files.has(name) || !/\.(?:svg|png)$/i.test(name),
  );
  if (unfit === undefined) return both;
  const message = `The logo \`${unfit}\` is no SVG or PNG of the folder: the title is shown in its place.`;
  notes.push({ ...logo.place, message });
  return undefined;
}

function bannerOf(banner: ImportedValue | undefined, notes: Note[]): ImportedSite['announcement'] {
  const content = banner?.get('content');
  if (!content?.text) return undefined;
  const [, , link] = /\[([^\]]*)\]\(([^)\s]+)\)/.exec(content.text) ?? [];
  const text = content.text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/(\*{1,2}|_{1,2}|`)(\S(?:.*?\S)?)\1/g, '$2')
    .trim();
  if (text !== content.text) {
    const message =
      'The banner has Markdown: its text is carried over, with its first link for all of it.';
    notes.push({ ...content.place, message });
  }
  return text === '' ? undefined : { text, link };
}

function redirectsOf(config: ImportedValue): ImportedRedirect[] {
  return (config.get('redirects')?.items ?? []).flatMap((one) => {
    const [from, to] = [one.get('source')?.text, one.get('destination')?.text];
    if (from === undefined || to === undefined) return [];
    const isTemporary = one.get('permanent')?.content === false;
    return [{ from: withSlash(from), to: withSlash(to), isTemporary, place: one.place }];
  });
}

/** Names of variables, and texts of one line, as docs.yaml takes them. */
const VARIABLE = /^[A-Za-z][\w-]{0,99}$/;

function variablesOf(
  variables: ImportedValue | undefined,
  notes: Note[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, { text, place }] of variables?.members ?? []) {
    const isFit = VARIABLE.test(name) && text !== undefined && /^[^\r\n]{1,1000}$/.test(text);
    if (isFit) found.set(name, text);
    else {
      const message = `The variable \`${name}\` is left out: its name has letters, digits, - and _, and its text one line.`;
      notes.push({ ...place, message });
    }
  }
  return found;
}

/** Mintlify takes `old` for `/old`. */
const withSlash = (path: string) => (/^(?:\/|[a-z]+:)/i.test(path) ? path : `/${path}`);

function linksOf(config: ImportedValue): { header: ImportedLink[]; footer: ImportedLink[] } {
  const navbar = config.get('navbar');
  const global = config.get('navigation')?.get('global');
  const linkOf = (value: ImportedValue, name?: string): ImportedLink[] => {
    const url = (value.get('href') ?? value.get('url'))?.text;
    if (url === undefined) return [];
    const title =
      (value.get('label') ?? value.get('name') ?? value.get('anchor') ?? value.get('tab'))?.text ??
      name ??
      value.get('type')?.text;
    return [{ kind: 'link', title: title ?? url, url, place: value.place }];
  };
  const primary = navbar?.get('primary') ?? config.get('topbarCtaButton');
  const header = [
    ...((navbar?.get('links') ?? config.get('topbarLinks'))?.items.flatMap((one) => linkOf(one)) ??
      []),
    ...['anchors', 'tabs', 'dropdowns'].flatMap((key) =>
      (global?.get(key)?.items ?? []).flatMap((one) => linkOf(one)),
    ),
    ...(primary ? linkOf(primary) : []),
  ];
  const columns = config.get('footer')?.get('links')?.items ?? [];
  const socials = [
    ...((config.get('footer')?.get('socials') ?? config.get('footerSocials'))?.members ?? []),
  ];
  const footer = [
    ...columns.flatMap((column) =>
      column.get('items')
        ? (column.get('items')?.items ?? []).flatMap((one) => linkOf(one))
        : linkOf(column),
    ),
    ...socials.flatMap(([name, value]): ImportedLink[] =>
      value.text === undefined
        ? []
        : [{ kind: 'link', title: SOCIALS[name] ?? name, url: value.text, place: value.place }],
    ),
  ];
  return { header, footer };
}

const SOCIALS: Readonly<Record<string, string>> = {
  ...{ bluesky: 'Bluesky', discord: 'Discord', facebook: 'Facebook', github: 'GitHub' },
  ...{ instagram: 'Instagram', linkedin: 'LinkedIn', medium: 'Medium', reddit: 'Reddit' },
  ...{ slack: 'Slack', telegram: 'Telegram', threads: 'Threads', twitter: 'Twitter', x: 'X' },
  ...{ 'x-twitter': 'X', youtube: 'YouTube', website: 'Website', podcast: 'Podcast' },
};

/** Members of a configuration that a docs.yaml has nothing for, and what to do about each. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  analytics: 'Sites load no scripts of others. The dashboard counts views by itself.',
  api: 'The reference shows servers and security as the OpenAPI document has them.',
  appearance: 'A reader chooses light or dark; the first time the system does.',
  background: 'Write it in a style sheet of your own: `theme.css`.',
  contextual: 'Each page has a menu with its Markdown.',
  errors: 'Write the page for missing paths as `404.md`; the paths before are redirects.',
  favicon: 'Save the icon as `favicon.svg` at the top of the folder.',
  feedback: 'Sites have no feedback form.',
  fonts:
    'Save the fonts as WOFF2 files, and name them as `theme.fonts`: nothing is loaded from other sites.',
  integrations: 'Sites load no scripts of others.',
  metadata: 'Sites have their own.',
  search: 'Sites have a search of their own.',
  seo: 'Pages have their title and description; add `noindex: true` to the front matter of those that search engines shall leave out.',
  styling: 'Write it in a style sheet of your own: `theme.css`.',
  thumbnails: 'Preview images are drawn from title and colour.',
};

function tellLeftOut(config: ImportedValue, notes: Note[]): void {
  for (const [key, advice] of Object.entries(LEFT_OUT)) {
    const value = config.get(key);
    if (value) notes.push({ ...value.place, message: `\`${key}\` is not carried over. ${advice}` });
  }
}

/** Pages that Mintlify fills with an operation, by their front matter, which may name its document. */
async function readOperationPages({ folder, notes, documents }: Reading): Promise<void> {
  const pages = [...folder.files].filter((file) => isPage(file));
  const found = await Promise.all(
    pages.map(async (file) => {
      const matter = frontMatter(await folder.read(file), file);
      return matter.get('openapi') ?? matter.get('api');
    }),
  );
  const [first, ...others] = found.filter((value) => value !== undefined);
  if (!first) return;
  for (const { text = '' } of [first, ...others]) {
    const file = /^\/?(\S+\.(?:json|ya?ml))\s/.exec(text)?.[1];
    if (file !== undefined && folder.files.has(file)) documents.add(file);
  }
  const message = `Mintlify fills this page${others.length > 0 ? ` and ${count(others.length, 'other')}` : ''} with an operation of an OpenAPI document: here it has its own text, and the reference has the operation. Write \`<Operation id="listPets" />\` where the page shall name it.`;
  notes.push({ ...first.place, message });
}

/** Files at the top that speak of the folder itself. */
const OWN_FILES = ['README.md', 'CONTRIBUTING.md', 'LICENSE.md', 'CHANGELOG.md'];

/** What Mintlify does not publish: files about the folder, and what `.mintignore` names. */
async function ignoredFiles({ folder, notes }: Reading): Promise<string[]> {
  const ignored = OWN_FILES.filter((file) => folder.files.has(file));
  const lines = (await folder.readHidden('.mintignore'))?.split(/\r?\n/) ?? [];
  for (const [index, text] of lines.entries()) {
    const entry = text.trim().replace(/^\/+/, '');
    if (entry === '' || entry.startsWith('#')) continue;
    const plain = entry.replace(/\/\*{1,2}$/, '/');
    const isPlain = !/[*?[\]{}!\\]/.test(plain);
    const isThere = [...folder.files].some((file) => isIgnored(file, [plain]));
    if (isPlain && isThere) ignored.push(plain);
    else if (!isPlain)
      notes.push({
        ...{ file: '.mintignore', line: index + 1 },
        message: `\`${entry}\` is a pattern: write the files and folders that it means under \`ignore\` in docs.yaml.`,
      });
  }
  return ignored;
}
