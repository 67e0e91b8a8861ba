import { isMap, isScalar, type Node } from 'yaml';
import type { BuildProblem, SourceFiles } from '../build-log.ts';
import { NO_SOURCE_CONFIG, type SourceConfig } from '../repository/source-links.ts';
import { DEFAULT_COLOR } from '../site/theme.ts';
import { type ChangesConfig, changesOf, NO_CHANGES_CONFIG } from './changes-config.ts';
import { type ConfigTab, navigationOf } from './config-navigation.ts';
import { type ConfigReader, configReader, fileOf } from './config-reader.ts';
import { ignoredOf, withoutIgnored } from './ignored-files.ts';
import { type ConfigReference, referencesOf, usualReferences } from './references-config.ts';
import { editOf, repositoryOf } from './repository-config.ts';
import {
  type Announcement,
  announcementOf,
  type ConfigLinks,
  linksOf,
  type NamedPath,
  NO_LINKS,
} from './site-links.ts';
import { type ConfigRedirect, redirectsOf } from './site-redirects.ts';
import { type ConfigFont, fontsOf } from './theme-fonts.ts';
import { type Variables, variablesOf } from './variables.ts';

/** A checked `docs.yaml`: every file that it names exists. */
export interface DocsConfig {
  /** The name of the file: `docs.yaml` or `docs.yml`. */
  readonly file: string;
  readonly title: string;
  /** The OpenAPI documents, in their order: one without an address by `openapi`, or those of `references`. */
  readonly references: readonly ConfigReference[];
  /** undefined: all pages are listed by path. */
  readonly navigation: readonly ConfigTab[] | undefined;
  /** `#0a58ca` */
  readonly color: string;
  /** On dark pages; undefined for the same. */
  readonly darkColor: string | undefined;
  /** Fonts of the archive; none for those of the reader's system. */
  readonly fonts: readonly ConfigFont[];
  /** A style of the archive, loaded after the site's own; undefined for none. */
  readonly css: string | undefined;
  readonly logo: { readonly light: string; readonly dark: string } | undefined;
  /** The icon of the site's tab in browsers, a file of the archive; undefined for `favicon.svg`. */
  readonly favicon: string | undefined;
  /** A line above every page. */
  readonly announcement: Announcement | undefined;
  /** Links to other places, in the header and at the end of each page. */
  readonly links: ConfigLinks;
  /** How pages lead to their files. */
  readonly source: SourceConfig;
  /** Files and folders of the archive that are no part of the site. */
  readonly ignore: readonly string[];
  /** Whether links of pages that lead nowhere fail the deploy. */
  readonly onBrokenLinks: 'fail' | 'warn';
  /** Where paths without a page lead. */
  readonly redirects: readonly ConfigRedirect[];
  /** Rules for changes of the API. */
  readonly changes: ChangesConfig;
  /** Whether the site has a changelog: always, never, or undefined once there is something in it. */
  readonly changelog: boolean | undefined;
  /** Whether pages ask if they were helpful. */
  readonly feedback: boolean;
  /** What stands in pages for `{{name}}`. */
  readonly variables: Variables;
  /** All paths of the site in the configuration: `sitePathProblems` checks them once the site's files are known. */
  readonly sitePaths: readonly NamedPath[];
}

const KEYS = [
  ...['title', 'openapi', 'overlays', 'references', 'navigation', 'theme', 'logo', 'favicon'],
  ...['announcement', 'links', 'edit', 'repository', 'redirects', 'variables'],
  ...['ignore', 'onBrokenLinks', 'changes', 'changelog', 'feedback'],
];

/** The required content of a `docs.yaml`, for a message. */
export const MINIMAL_CONFIG = 'title: My API';

/** Of a file that cannot be read. */
const EMPTY: Omit<DocsConfig, 'file' | 'references'> = {
  title: '',
  navigation: undefined,
  color: DEFAULT_COLOR,
  darkColor: undefined,
  fonts: [],
  css: undefined,
  logo: undefined,
  favicon: undefined,
  announcement: undefined,
  links: NO_LINKS,
  source: NO_SOURCE_CONFIG,
  redirects: [],
  ignore: [],
  onBrokenLinks: 'fail',
  changes: NO_CHANGES_CONFIG,
  changelog: undefined,
  feedback: true,
  variables: new Map(),
  sitePaths: [],
};

/** The name of the archive's configuration; undefined where it has none. */
export function configFile(files: SourceFiles): string | undefined {
  return ['docs.yaml', 'docs.yml'].find((name) => files.has(name));
}

/**
 * Reads the configuration `file`, of at most 256 KB. Problems have their lines. Where there are any, the configuration
 * has the parts that could be read, so that the rest of the archive can be checked as well.
 */
export function readDocsConfig(
  archive: SourceFiles,
  file: string,
): { readonly config: DocsConfig; readonly problems: readonly BuildProblem[] } {
  const reader = configReader(file, archive.get(file) ?? new Uint8Array());
  const { problems } = reader;
  if (problems.length > 0 || !reader.root) {
    return { config: { ...EMPTY, file, references: usualReferences(archive) }, problems };
  }
  const at = reader.members(reader.root, KEYS, `\`${file}\``);
  const title = at.get('title');
  if (!title) reader.problem('`title` is missing: the name of the documentation.', reader.root);
  const ignore = ignoredOf(reader, at.get('ignore'));
  const files = withoutIgnored(archive, ignore);
  const sitePaths: NamedPath[] = [];
  const links = { reader, files, sitePaths };
  const references = referencesOf(reader, files, at);
  const config = {
    file,
    title: title ? reader.text(title, '`title`', 200) : '',
    references,
    navigation: navigationOf(links, at.get('navigation'), references),
    ...themeOf(reader, files, at.get('theme')),
    logo: logoOf(reader, files, at.get('logo')),
    favicon: faviconOf(reader, files, at.get('favicon')),
    announcement: announcementOf(links, at.get('announcement')),
    links: linksOf(links, at.get('links')),
    source: {
      edit: editOf(reader, at.get('edit')),
      repository: repositoryOf(reader, at.get('repository')),
    },
    ignore,
    onBrokenLinks: onBrokenLinksOf(reader, at.get('onBrokenLinks')),
    redirects: redirectsOf(reader, at.get('redirects'), sitePaths),
    changes: changesOf(reader, at.get('changes')),
    changelog: changelogOf(reader, at.get('changelog')),
    feedback: feedbackOf(reader, at.get('feedback')),
    variables: variablesOf(reader, at.get('variables')),
    sitePaths,
  };
  return { config, problems };
}

function onBrokenLinksOf(reader: ConfigReader, node: Node | undefined): 'fail' | 'warn' {
  const value = node && isScalar(node) ? node.value : 'fail';
  if (value === 'fail' || value === 'warn') return value;
  reader.problem('`onBrokenLinks` must be `fail` or `warn`.', node);
  return 'fail';
}

function changelogOf(reader: ConfigReader, node: Node | undefined): boolean | undefined {
  if (!node) return undefined;
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value === 'boolean') return value;
  reader.problem(
    '`changelog` must be `true` (the site always has one) or `false` (it has none).',
    node,
  );
  return undefined;
}

function feedbackOf(reader: ConfigReader, node: Node | undefined): boolean {
  if (!node) return true;
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value === 'boolean') return value;
  reader.problem(
    '`feedback` must be `true` (pages ask if they were helpful) or `false` (they do not).',
    node,
  );
  return true;
}

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

function themeOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node | undefined,
): Pick<DocsConfig, 'color' | 'darkColor' | 'fonts' | 'css'> {
  const at = node && reader.members(node, ['color', 'colors', 'fonts', 'css'], '`theme`');
  const css = at?.get('css');
  return {
    ...colorsOf(reader, at?.get('color'), at?.get('colors')),
    fonts: fontsOf(reader, files, at?.get('fonts')),
    css: css && fileOf(reader, files, css, '`theme.css`', /\.css$/i, 'a CSS file (.css)'),
  };
}

/** `theme.color` for both schemes, or `theme.colors` with one for each. */
function colorsOf(
  reader: ConfigReader,
  color: Node | undefined,
  colors: Node | undefined,
): Pick<DocsConfig, 'color' | 'darkColor'> {
  if (!colors) return { color: colorOf(reader, color, '`theme.color`'), darkColor: undefined };
  if (color) reader.problem('`theme` has both `color` and `colors`: keep one.', colors);
  const at = reader.members(colors, ['light', 'dark'], '`theme.colors`');
  const [light, dark] = [at.get('light'), at.get('dark')];
  if (isMap(colors) && (!light || !dark))
    reader.problem('`theme.colors` needs both `light` and `dark`.', colors);
  return {
    color: colorOf(reader, light, '`theme.colors.light`'),
    darkColor: colorOf(reader, dark, '`theme.colors.dark`'),
  };
}

function colorOf(reader: ConfigReader, color: Node | undefined, name: string): string {
  if (!color) return DEFAULT_COLOR;
  const text = isScalar(color) && typeof color.value === 'string' ? color.value : '';
  if (COLOR.test(text)) return text;
  reader.problem(`${name} must be a colour such as \`"#0a58ca"\`, in quotes.`, color);
  return DEFAULT_COLOR;
}

function faviconOf(reader: ConfigReader, files: SourceFiles, node: Node | undefined) {
  if (!node) return undefined;
  return fileOf(reader, files, node, '`favicon`', /\.(?:svg|png|ico)$/i, 'an SVG, PNG or ICO file');
}

function logoOf(reader: ConfigReader, files: SourceFiles, node: Node | undefined) {
  if (!node) return undefined;
  const image = (value: Node, name: string) =>
    fileOf(reader, files, value, name, /\.(?:svg|png)$/i, 'an SVG or PNG file');
  if (!isMap(node)) {
    const file = image(node, '`logo`');
    return file === undefined ? undefined : { light: file, dark: file };
  }
  const at = reader.members(node, ['light', 'dark'], '`logo`');
  const light = at.get('light');
  const dark = at.get('dark');
  if (light && dark) {
    const files = { light: image(light, '`logo.light`'), dark: image(dark, '`logo.dark`') };
    return files.light && files.dark ? { light: files.light, dark: files.dark } : undefined;
  }
  reader.problem('`logo` needs both `light` and `dark`, or is one file.', node);
  return undefined;
}
