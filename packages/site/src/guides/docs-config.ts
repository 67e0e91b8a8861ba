import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { BuildProblem, SourceFiles } from '../build-log.ts';
import { yamlProblem } from '../syntax/yaml-problem.ts';

/** The largest configuration, in bytes. */
const MAX_SIZE = 64 * 1024;

/** Reads values out of a YAML file, and collects their problems. */
interface ConfigReader {
  readonly root: Node | undefined;
  readonly problems: BuildProblem[];
  readonly line: (node: Node) => number;
  readonly problem: (message: string, node: Node | undefined) => void;
  /** The end of a problem's sentence: the name that was probably meant. */
  readonly didYouMean: (word: string, candidates: Iterable<string>) => string;
  /** The members of a mapping by key. Keys other than `keys` are problems. */
  readonly members: (node: Node, keys: readonly string[], name: string) => Map<string, Node>;
  readonly items: (node: Node, name: string) => Node[];
  /** A string of 1 to `most` characters. Anything else is a problem, and becomes ''. */
  readonly text: (node: Node, name: string, most: number) => string;
}

function configReader(file: string, bytes: Uint8Array): ConfigReader {
  const problems: BuildProblem[] = [];
  const lines = new LineCounter();
  const didYouMean = didYouMeanOfMany();
  const addProblem = (message: string, line: number | null) =>
    problems.push({ message, path: file, line });
  const line = (node: Node) => lines.linePos(node.range?.[0] ?? 0).line;
  const problem = (message: string, node: Node | undefined) => {
    addProblem(message, node ? line(node) : null);
  };

  return {
    root: parse(bytes, lines, addProblem),
    problems,
    line,
    problem,
    didYouMean,
    members(node, keys, name) {
      const members = new Map<string, Node>();
      if (!isMap(node)) {
        problem(
          `${name} must be a mapping with ${keys.map((key) => `\`${key}\``).join(', ')}.`,
          node,
        );
        return members;
      }
      for (const { key, value } of node.items) {
        const word = isScalar(key) ? String(key.value) : '';
        if (!keys.includes(word)) {
          const place = isNode(key) ? key : node;
          problem(`${name} has no \`${word}\`${didYouMean(word, keys)}`, place);
        } else if (isNode(value) && !(isScalar(value) && value.value === null)) {
          members.set(word, value);
        }
      }
      return members;
    },
    items(node, name) {
      if (isSeq(node)) return node.items.filter(isNode);
      problem(`${name} must be a list.`, node);
      return [];
    },
    text(node, name, most) {
      const value = isScalar(node) ? node.value : undefined;
      if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
      problem(`${name} must be text of 1 to ${most} characters.`, node);
      return '';
    },
  };
}

function parse(
  bytes: Uint8Array,
  lines: LineCounter,
  addProblem: (message: string, line: number | null) => void,
): Node | undefined {
  if (bytes.length > MAX_SIZE) {
    addProblem(`The file is larger than ${MAX_SIZE / 1024} KB.`, null);
    return undefined;
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const lineAt = (offset: number) => lines.linePos(offset).line;
    const problem = yamlProblem(document, { text, lineAt });
    if (problem) addProblem(problem.message, problem.line);
    if (document.contents === null) addProblem('The file is empty.', 1);
    return document.contents ?? undefined;
  } catch (error) {
    // Lists nested deeper than the parser's stack, or bytes that are not text.
    const isDeep = error instanceof RangeError;
    addProblem(isDeep ? 'The file is nested too deeply.' : 'The file is not UTF-8 text.', null);
    return undefined;
  }
}

/** A checked `docs.yaml`: every file that it names exists. */
export interface DocsConfig {
  /** The name of the file: `docs.yaml` or `docs.yml`. */
  readonly file: string;
  readonly title: string;
  /** The OpenAPI document's path in the archive; undefined where there is none. */
  readonly openapi: string | undefined;
  /** undefined: all pages are listed by path. */
  readonly navigation: readonly NavigationGroup[] | undefined;
  /** `#0a58ca` */
  readonly color: string;
  readonly logo: { readonly light: string; readonly dark: string } | undefined;
}

/** Pages under a heading; the heading is undefined for those that stand alone. */
interface NavigationGroup {
  readonly title: string | undefined;
  readonly pages: readonly NavigationPage[];
}

interface NavigationPage {
  /** `guides/start.md` */
  readonly file: string;
  /** The page's title in the navigation; undefined for the page's own title. */
  readonly title: string | undefined;
  readonly line: number;
}

const KEYS = ['title', 'openapi', 'navigation', 'theme', 'logo'];

export const DEFAULT_COLOR = '#0a58ca';

const OPENAPI_FILE = /^openapi\.(?:yaml|yml|json)$/;

/** The required content of a `docs.yaml`, for a message. */
export const MINIMAL_CONFIG = 'title: My API';

/** The name of the archive's configuration; undefined where it has none. */
export function configFile(files: SourceFiles): string | undefined {
  return ['docs.yaml', 'docs.yml'].find((name) => files.has(name));
}

/** The only OpenAPI document at the archive's root with a usual name. */
export function defaultDocument(files: SourceFiles): string | undefined {
  const found = [...files.keys()].filter((path) => OPENAPI_FILE.test(path));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Reads the configuration `file`, of at most 64 KB. Problems have their lines. Where there are any, the configuration
 * has the parts that could be read, so that the rest of the archive can be checked as well.
 */
export function readDocsConfig(
  files: SourceFiles,
  file: string,
): { readonly config: DocsConfig; readonly problems: readonly BuildProblem[] } {
  const reader = configReader(file, files.get(file) ?? new Uint8Array());
  const { problems } = reader;
  if (problems.length > 0 || !reader.root) {
    const rest = { title: '', navigation: undefined, color: DEFAULT_COLOR, logo: undefined };
    return { config: { file, openapi: defaultDocument(files), ...rest }, problems };
  }
  const at = reader.members(reader.root, KEYS, `\`${file}\``);
  const title = at.get('title');
  if (!title) reader.problem('`title` is missing: the name of the documentation.', reader.root);
  const config = {
    file,
    title: title ? reader.text(title, '`title`', 200) : '',
    openapi: openapiOf(reader, files, at.get('openapi')),
    navigation: navigationOf(reader, files, at.get('navigation')),
    color: colorOf(reader, at.get('theme')),
    logo: logoOf(reader, files, at.get('logo')),
  };
  return { config, problems };
}

function openapiOf(reader: ConfigReader, files: SourceFiles, node: Node | undefined) {
  if (node)
    return fileOf(reader, files, node, '`openapi`', /\.(?:ya?ml|json)$/i, 'a YAML or JSON file');
  const usual = [...files.keys()].filter((path) => OPENAPI_FILE.test(path));
  if (usual.length > 1) {
    reader.problem(
      `\`openapi\` must say which document is meant: the archive has ${usual.join(' and ')}.`,
      reader.root,
    );
  }
  return usual[0];
}

function navigationOf(reader: ConfigReader, files: SourceFiles, node: Node | undefined) {
  if (!node) return undefined;
  const seen = new Map<string, number>();
  const groups: NavigationGroup[] = [];
  for (const item of reader.items(node, '`navigation`')) {
    const isGroup = isMap(item) && item.has('pages');
    if (isGroup) {
      const at = reader.members(item, ['title', 'pages'], 'A group');
      const title = at.get('title');
      if (!title) reader.problem('A group needs a `title`.', item);
      const pages = at.get('pages');
      groups.push({
        title: title ? reader.text(title, "A group's `title`", 100) : '',
        pages: pages
          ? reader.items(pages, '`pages`').flatMap((page) => pageOf(reader, files, page, seen))
          : [],
      });
      continue;
    }
    const page = pageOf(reader, files, item, seen);
    const last = groups.at(-1);
    if (last && last.title === undefined) {
      groups[groups.length - 1] = { title: undefined, pages: [...last.pages, ...page] };
    } else groups.push({ title: undefined, pages: page });
  }
  return groups;
}

function pageOf(
  reader: ConfigReader,
  files: SourceFiles,
  item: Node,
  seen: Map<string, number>,
): NavigationPage[] {
  const at = isMap(item)
    ? reader.members(item, ['title', 'page'], 'An entry of the navigation')
    : new Map([['page', item]]);
  const page = at.get('page');
  const title = at.get('title');
  if (!page) {
    reader.problem('An entry needs a `page` (`guides/start.md`) or, for a group, `pages`.', item);
    return [];
  }
  const file = fileOf(reader, files, page, 'A page', /\.md$/i, 'a Markdown file (.md)');
  if (file === undefined) return [];
  const line = reader.line(page);
  const earlier = seen.get(file);
  if (earlier !== undefined) {
    reader.problem(`\`${file}\` is in the navigation twice, before on line ${earlier}.`, page);
  }
  seen.set(file, line);
  return [{ file, title: title && reader.text(title, '`title`', 100), line }];
}

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

function colorOf(reader: ConfigReader, theme: Node | undefined): string {
  const color = theme && reader.members(theme, ['color'], '`theme`').get('color');
  if (!color) return DEFAULT_COLOR;
  const text = isScalar(color) && typeof color.value === 'string' ? color.value : '';
  if (COLOR.test(text)) return text;
  reader.problem('`theme.color` must be a colour such as `"#0a58ca"`, in quotes.', color);
  return DEFAULT_COLOR;
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

/** A file of the archive. Reports a problem, and returns undefined, when it is not there or of another kind. */
function fileOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node,
  name: string,
  kind: RegExp,
  wanted: string,
): string | undefined {
  const text = reader.text(node, name, 255);
  const path = text.normalize('NFC').replace(/^(?:\.?\/)+/, '');
  if (text === '') return undefined;
  if (!files.has(path)) {
    reader.problem(
      `\`${path}\` is not in the archive${reader.didYouMean(path, files.keys())}`,
      node,
    );
    return undefined;
  }
  if (kind.test(path)) return path;
  reader.problem(`${name} must be ${wanted}, not \`${path}\`.`, node);
  return undefined;
}
