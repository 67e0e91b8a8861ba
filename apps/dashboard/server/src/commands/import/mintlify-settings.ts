import { posix } from 'node:path';
import { count } from '@petstore/service/text.ts';
import { isIgnored } from '@petstore/site/guides/ignored-files.ts';
import type {
  Change,
  ImportedLink,
  ImportedRedirect,
  ImportedSite,
  Note,
} from './imported-site.ts';
import type { ImportedValue } from './imported-value.ts';
import { fileNamed, type SourceFolder } from './source-folder.ts';

// All of a Mintlify configuration but its navigation and its reference.

interface Reading {
  readonly folder: SourceFolder;
  readonly notes: Note[];
}

type Settings = Omit<ImportedSite, 'navigation' | 'documents' | 'ignore' | 'folder'>;

/** Reads what a docs.yaml has members for, and tells what it has none for. */
export function readSettings(at: Reading, config: ImportedValue): Settings {
  const { notes } = at;
  tellLeftOut(at, config);
  return {
    title: config.get('name')?.text ?? 'Documentation',
    redirects: redirectsOf(config),
    variables: variablesOf(config.get('variables'), notes),
    color: colorOf(config.get('colors'), notes),
    favicon: faviconOf(at, config.get('favicon')),
    font: fontOf(at, config.get('fonts')),
    logo: logoOf(at, config.get('logo')),
    announcement: bannerOf(config.get('banner'), notes),
    ...linksOf(config),
    changes: missingPage(at, config.get('errors')?.get('404')),
  };
}

/** `light` is Mintlify's colour for dark pages. */
function colorOf(colors: ImportedValue | undefined, notes: Note[]): ImportedSite['color'] {
  const light = hexOf(colors?.get('primary'), notes);
  const dark = hexOf(colors?.get('light'), notes);
  return light === undefined || dark === undefined || light === dark ? light : { light, dark };
}

function hexOf(color: ImportedValue | undefined, notes: Note[]): string | undefined {
  if (!color?.text) return undefined;
  // The last two digits of eight are for transparency.
  const [hex] = /^#(?:[0-9a-f]{6}|[0-9a-f]{3})(?=(?:[0-9a-f]{2})?$)/i.exec(color.text) ?? [];
  if (hex === undefined)
    notes.push({ ...color.place, message: `\`${color.text}\` is no colour such as #0a58ca.` });
  return hex;
}

/** One icon, or one for each scheme, of which the first is taken. */
function faviconOf({ folder, notes }: Reading, icon: ImportedValue | undefined) {
  const text = icon?.text ?? icon?.get('light')?.text;
  const file = text === undefined ? undefined : fileNamed(text);
  if (!icon || file === undefined) return undefined;
  if (folder.files.has(file) && /\.(?:svg|png|ico)$/i.test(file)) return file;
  const message = `The icon \`${file}\` is no SVG, PNG or ICO of the folder: the site has one that is drawn for it.`;
  notes.push({ ...icon.place, message });
  return undefined;
}

/** A font of the folder; others would be loaded from another site. */
function fontOf({ folder, notes }: Reading, fonts: ImportedValue | undefined) {
  if (!fonts) return undefined;
  const written = (fonts.get('body') ?? fonts).get('source')?.text;
  const source = written === undefined ? undefined : fileNamed(written);
  if (source !== undefined && folder.files.has(source) && /\.woff2$/i.test(source)) return source;
  const family = (fonts.get('body') ?? fonts).get('family')?.text ?? 'The font';
  const message = `\`fonts\`: ${family} would be loaded from another site. Save it as a WOFF2 file in the folder, and name that as \`theme.fonts.body\`.`;
  notes.push({ ...fonts.place, message });
  return undefined;
}

/** `404.md`, with the title and the text that the page for missing paths had. */
function missingPage(
  { folder }: Reading,
  value: ImportedValue | undefined,
): ReadonlyMap<string, Change> {
  const title = value?.get('title')?.text;
  const text = value?.get('description')?.text ?? '';
  if (title === undefined || folder.files.has('404.md') || folder.files.has('404.mdx'))
    return new Map();
  return new Map([['404.md', { text: `# ${title}\n\n${text}\n` }]]);
}

function logoOf({ folder, notes }: Reading, logo: ImportedValue | undefined): ImportedSite['logo'] {
  const named = logo?.text === undefined ? [logo?.get('light'), logo?.get('dark')] : [logo, logo];
  const [light, dark] = named.map((value) =>
    value?.text === undefined ? undefined : fileNamed(value.text),
  );
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

/** Members that a docs.yaml has nothing for, and what to do about each. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  analytics: 'Sites load no scripts of others. The dashboard counts views by itself.',
  integrations: 'Sites load no scripts of others. The dashboard counts views by itself.',
  seo: 'Pages have their title and description; add `noindex: true` to the front matter of pages that search engines should not list.',
};

/** Members that say how Mintlify's own parts look or work: a site has others, and nobody has anything to do. */
const OF_MINTLIFY = [
  ...['api', 'appearance', 'background', 'contextual', 'feedback', 'metadata', 'search'],
  ...['styling', 'thumbnails'],
];

function tellLeftOut({ folder, notes }: Reading, config: ImportedValue): void {
  for (const [key, advice] of Object.entries(LEFT_OUT)) {
    const value = config.get(key);
    if (value) notes.push({ ...value.place, message: `\`${key}\` is not carried over. ${advice}` });
  }
  // What names the document of the reference is carried over.
  const isMore = (key: string, value: ImportedValue) =>
    key !== 'api' || [...value.members.keys()].some((name) => name !== 'openapi');
  const settings = OF_MINTLIFY.flatMap((key) => {
    const value = config.get(key);
    return value && isMore(key, value) ? [{ key, place: value.place }] : [];
  });
  if (settings[0]) {
    const named = settings.map(({ key }) => `\`${key}\``).join(', ');
    const message = `Settings of Mintlify's own parts are left out: ${named}.`;
    notes.push({ ...settings[0].place, message });
  }
  tellStyles({ folder, notes });
}

/** Styles and scripts, which Mintlify adds to every page wherever they are in the folder. */
function tellStyles({ folder, notes }: Reading): void {
  const tell = (kind: RegExp, advice: string) => {
    const [first, ...others] = [...folder.files].filter((file) => kind.test(file));
    if (first === undefined) return;
    const more = others.length > 0 ? ` ${count(others.length, 'other')} like it` : '';
    const message = `The file${more && ` and${more}`} ${others.length > 0 ? 'are' : 'is'} left out: ${advice}`;
    notes.push({ file: first, line: undefined, message });
  };
  tell(
    /\.css$/i,
    "its selectors are those of Mintlify's pages. Write one for this site, and name it as `theme.css`.",
  );
  tell(/\.[jt]sx?$/i, 'sites run no scripts.');
}

/** Files at the top that speak of the folder itself. */
const OWN_FILES = [
  ...['README.md', 'CONTRIBUTING.md', 'LICENSE.md', 'CHANGELOG.md', 'AGENTS.md', 'CLAUDE.md'],
];

/** What Mintlify does not publish: files about the folder, and what `.mintignore` names. */
export async function ignoredFiles({ folder, notes }: Reading): Promise<string[]> {
  const ignored = OWN_FILES.filter((file) => folder.files.has(file));
  const lines = (await folder.readHidden('.mintignore'))?.split(/\r?\n/) ?? [];
  for (const [index, text] of lines.entries()) {
    const entry = text.trim().replace(/^\/+/, '');
    if (entry === '' || entry.startsWith('#')) continue;
    const plain = entry.replace(/\/\*{1,2}$/, '/');
    const isPlain = !/[*?[\]{}!\\]/.test(plain);
    const isThere = (one: string) => [...folder.files].some((file) => isIgnored(file, [one]));
    if (isPlain && isThere(plain)) ignored.push(plain);
    else if (entry.startsWith('!')) {
      const message = `\`${entry}\` takes a file back: leave it out of \`ignore\` in docs.yaml.`;
      notes.push({ file: '.mintignore', line: index + 1, message });
    } else if (!isPlain) ignored.push(...matching(folder, text.trim()));
  }
  return ignored;
}

/** The files that a pattern of `.mintignore` means: one without a slash means a name in any folder. */
function matching({ files }: SourceFolder, pattern: string): string[] {
  const whole = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [...files].filter((file) => posix.matchesGlob(file, whole));
}
