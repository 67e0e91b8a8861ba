import { posix } from 'node:path';
import type { Code, Heading, Root, RootContent } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import type { Position } from 'unist';
import { visit } from 'unist-util-visit';
import { visitMarkdown } from '../../../markdown/visit.ts';
import type { Rule } from '../../../rules.ts';
import type { Hints } from '../../links/link-target.ts';
import { isImage } from '../../links/site-paths.ts';
import { withoutFrontMatter } from '../front-matter.ts';
import { mathBlocks, remarkMath } from '../math/remark-math.ts';
import { isNestedTooDeeply, isQuotedTooDeeply, MAX_NESTING } from '../safe-html.ts';
import { componentKind } from './component-names.ts';
import { type ComponentNode, nestMarks, short } from './nest-marks.ts';
import { type Attributes, type AttributeValue, readLiteral, readMark } from './read-mark.ts';
import { remarkMarks } from './syntax.ts';

export interface GuideSource {
  /** `guides/start.mdx` */
  readonly file: string;
  /** Without front matter. */
  readonly markdown: string;
  /** The text of another file of the archive; undefined where it has none. */
  readonly read: (file: string) => string | undefined;
  /** All files, for suggestions. */
  readonly files: ReadonlySet<string>;
  readonly hints: Hints;
  readonly warn: (rule: Rule, message: string, line: number) => void;
  readonly fail: (message: string, line: number) => void;
}

export const TOO_DEEP = `The page is nested more than ${MAX_NESTING} levels deep.`;

/** Levels of snippets within snippets. */
const MAX_SNIPPET_DEPTH = 10;

/** In characters of all snippets that one page shows. */
const MAX_SNIPPETS = 2 * 1024 * 1024;

/** Whether a text can have marks. */
const MARK = /<\/?[\p{Lu}>]|\{%|:::|^::|\{\/\*|^(?:import|export)\b/mu;

const isMdx = (file: string) => /\.mdx$/i.test(file);

/**
 * Reads the Markdown of a guide: CommonMark with GitHub's extensions, and components. Snippets are in their places.
 * Nothing of it is run. What is nested too deeply fails, and is empty.
 */
export function readGuide(source: GuideSource): Root {
  return new GuideReader(source).page();
}

class GuideReader {
  readonly #source: GuideSource;
  #left = MAX_SNIPPETS;

  constructor(source: GuideSource) {
    this.#source = source;
  }

  page(): Root {
    const { file, markdown, fail } = this.#source;
    const tree = this.#read(markdown, file, {}, []);
    if (tree === undefined) {
      fail(TOO_DEEP, 1);
      return { type: 'root', children: [] };
    }
    visitMarkdown(tree, 'code', keepMeta);
    visitMarkdown(tree, 'heading', readId);
    return tree;
  }

  /** The tree of a file; undefined where it is nested too deeply. `from`: the snippets that it is in. */
  #read(
    markdown: string,
    file: string,
    given: Readonly<Record<string, AttributeValue>>,
    from: readonly { readonly file: string; readonly position: Position | undefined }[],
  ): Root | undefined {
    if (isQuotedTooDeeply(markdown)) return undefined;
    const tree = parse(markdown, file);
    if (isNestedTooDeeply(tree)) return undefined;
    const variables: Record<string, AttributeValue> = { ...given };
    const imports = new Map<string, string>();
    const outer = from[0]?.position;
    const { warn, fail } = this.#source;
    const place = (position: Position | undefined) =>
      outer ? ` (\`${file}\`, line ${lineOf(position)})` : '';
    const tell = (rule: Rule, message: string, position: Position | undefined) =>
      warn(rule, message + place(position), lineOf(outer ?? position));
    // Program code stands outside of all else. What it names is needed everywhere.
    tree.children = tree.children.filter((node) => {
      const mark = node.type === 'guideMark' ? readMark(node.value) : undefined;
      if (mark?.kind !== 'program') return true;
      if (!understood(mark.code, file, { imports, variables }))
        tell(
          'left-out',
          `\`${short(mark.code)}\` is program code, which is never run: it was left out.`,
          node.position,
        );
      return false;
    });
    nestMarks(tree, {
      variables,
      warn: tell,
      parse: (text) => parse(text, file).children,
      include: (component) => {
        const { name, position, kind } = component;
        const path = imports.get(name) ?? snippetPath(component, file);
        if (path === undefined) {
          if (kind?.name !== 'snippet') return undefined;
          tell('left-out', `\`${name}\` names no file: it was left out.`, position);
          return [];
        }
        const problem = (message: string) => {
          fail(message + place(position), lineOf(outer ?? position));
          return [];
        };
        const chain = [{ file, position: outer ?? position }, ...from];
        return this.#snippet(path, component, chain, problem);
      },
    });
    return isNestedTooDeeply(tree) ? undefined : tree;
  }

  /** The content of a snippet, at the place of what stands for it. */
  #snippet(
    path: string,
    component: ComponentNode,
    chain: readonly { readonly file: string; readonly position: Position | undefined }[],
    problem: (message: string) => RootContent[],
  ): RootContent[] {
    const { read, files, hints } = this.#source;
    const { attributes, position } = component;
    const text = read(path);
    // Mintlify's older folder.
    const older = path.replace(/^snippets\//, '_snippets/');
    if (text === undefined && older !== path && read(older) !== undefined)
      return this.#snippet(older, component, chain, problem);
    if (text === undefined)
      return problem(`The snippet \`${path}\` is not in the archive${hints.link(path, files)}`);
    if (chain.some(({ file }) => file === path))
      return problem(
        `The snippet \`${path}\` is in itself: ${[...chain.map(({ file }) => file).reverse(), path].join(', ')}. Remove one.`,
      );
    if (chain.length > MAX_SNIPPET_DEPTH)
      return problem(`Snippets are in each other more than ${MAX_SNIPPET_DEPTH} levels deep.`);
    this.#left -= text.length;
    if (this.#left < 0)
      return problem(
        `The snippets of the page are larger than ${MAX_SNIPPETS / 1024 / 1024} MB together.`,
      );
    const tree = this.#read(withoutFrontMatter(text), path, attributes, chain);
    if (tree === undefined) return problem(`The snippet \`${path}\` is nested too deeply.`);
    const folder = posix.dirname(path);
    // What the page gives its snippet is relative to the page.
    const given = new Set(Object.values(attributes));
    const fixed = (url: string) => (given.has(url) ? url : fromRoot(url, folder));
    visit(tree, (node) => {
      // Problems are told of the line that stands for the snippet.
      const at = chain.at(-1)?.position ?? position;
      if (at) node.position = at;
      if ('url' in node) node.url = fixed(node.url);
      if (node.type === 'html') node.value = htmlWithAddresses(node.value, fixed);
      if (node.type === 'guideComponent') node.attributes = withAddresses(node.attributes, fixed);
    });
    return tree.children;
  }
}

/** ReadMe's pages are MDX, whatever their names end with: with its tables, in whose cells stands Markdown. */
const JSX_TABLE = /^[ \t]*<Table[\s>]/m;

function parse(markdown: string, file: string): Root {
  const read = (parser: Parser) => {
    const tree = parser.parse(markdown);
    mathBlocks(tree, markdown);
    return tree;
  };
  if (isMdx(file) || JSX_TABLE.test(markdown)) return read(PARSERS.mdx);
  // Who indents what is in a component does not mean code.
  const tree = MARK.test(markdown) ? read(PARSERS.components) : undefined;
  return tree && hasComponents(tree) ? tree : read(PARSERS.plain);
}

type Parser = ReturnType<typeof parser>;

const parser = (options: { readonly isMdx: boolean; readonly hasIndentedCode: boolean }) =>
  unified().use(remarkParse).use(remarkGfm).use(remarkMath).use(remarkMarks, options).freeze();

const PARSERS = {
  mdx: parser({ isMdx: true, hasIndentedCode: false }),
  components: parser({ isMdx: false, hasIndentedCode: false }),
  plain: parser({ isMdx: false, hasIndentedCode: true }),
} as const;

/** Keeps what stands behind the language of a block of code: `js title="a.js" {1,3}`, also without spaces. */
function keepMeta(code: Code): void {
  const [, lang = '', lines = ''] = /^([^{]*)(\{.*)?$/.exec(code.lang ?? '') ?? [];
  const meta = `${lines} ${code.meta ?? ''}`.trim();
  if (meta === '') return;
  code.lang = lang;
  code.data = { hProperties: { dataMeta: meta } };
}

/** Docusaurus' way to give a heading an id: `## Title {#id}`. */
function readId(heading: Heading): void {
  const last = heading.children.at(-1);
  if (last?.type !== 'text') return;
  const [whole, id] = /\s*\{#([\p{L}\p{M}\p{N}_-]+)\}\s*$/u.exec(last.value) ?? [];
  if (whole === undefined || id === undefined) return;
  last.value = last.value.slice(0, -whole.length);
  heading.data = { hProperties: { id } };
}

function hasComponents(tree: Root): boolean {
  let isFound = false;
  visitMarkdown(tree, 'guideMark', () => {
    isFound = true;
  });
  return isFound;
}

const lineOf = (position: Position | undefined) => position?.start.line ?? 1;

/** The file that a component stands for; undefined where it stands for none. */
function snippetPath({ kind, name, attributes }: ComponentNode, from: string): string | undefined {
  if (kind?.name !== 'snippet') return undefined;
  const { file } = attributes;
  if (typeof file !== 'string') return undefined;
  // A tag names a file of the folder for snippets.
  if (name === 'Snippet') return resolved(file.startsWith('/') ? file : `/snippets/${file}`, from);
  return resolved(file, from);
}

const resolved = (path: string, from: string) =>
  posix
    .join(path.startsWith('/') ? '/' : `/${posix.dirname(from)}`, path)
    .slice(1)
    .normalize('NFC');

/** An address that is relative to a folder, as one that is not. */
function fromRoot(url: string, folder: string): string {
  const isFixed = /^(?:[a-z][a-z0-9+.-]*:|[/#?]|$)/i.test(url);
  return isFixed ? url : posix.join('/', folder, url);
}

/** Attributes of components and of HTML that are addresses. */
const ADDRESSES = new Set(['href', 'src', 'img', 'image', 'url', 'link', 'file']);

/** A component's attributes, whose addresses `fixed` changes. An icon may be an image. */
function withAddresses(attributes: Attributes, fixed: (url: string) => string): Attributes {
  const entries = Object.entries(attributes).map(([name, value]) => {
    const isAddress =
      typeof value === 'string' && (ADDRESSES.has(name) || (name === 'icon' && isImage(value)));
    return [name, isAddress ? fixed(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

const TAG = /<[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>/gi;
const QUOTED = /(\s([\w:-]+)\s*=\s*)(["'])([\s\S]*?)\3/g;

/** HTML, whose quoted addresses `fixed` changes. */
function htmlWithAddresses(html: string, fixed: (url: string) => string): string {
  return html.replaceAll(TAG, (tag) =>
    tag.replaceAll(QUOTED, (whole, start: string, name: string, quote: string, value: string) =>
      /^(?:href|src)$/i.test(name) ? start + quote + fixed(value) + quote : whole,
    ),
  );
}

const STATEMENT =
  /import\s+([^;"']*?)\s*from\s*["']([^"'\n]+)["'][ \t]*;?|export\s+const\s+([\w$]+)\s*=\s*("[^"\n]*"|'[^'\n]*'|`[^`$]*`|-?[\d.]+|true|false|\[[^[\]{}()]*\])[ \t]*;?[ \t]*(?:\n|$)/g;

/** A style of another component: sites have their own. */
const STYLE = /import\s+["'][^"'\n]+\.css["'][ \t]*;?/g;

/** Takes the snippets and the simple values out of program code; whether there is nothing else in it. */
function understood(
  code: string,
  from: string,
  {
    imports,
    variables,
  }: { imports: Map<string, string>; variables: Record<string, AttributeValue> },
): boolean {
  let isWhole = true;
  const rest = code
    .replace(STYLE, '')
    .replace(STATEMENT, (_, names?: string, path = '', variable = '', literal = '') => {
      if (names === undefined) {
        const value = readLiteral(literal);
        if (value !== undefined) variables[variable] = value;
        return '';
      }
      const all = names.match(/[\w$]+(?=\s*(?:,|\}|$))/g) ?? [];
      if (/\.mdx?$/i.test(path)) for (const name of all) imports.set(name, resolved(path, from));
      else isWhole &&= all.every((name) => componentKind(name, 'tag') !== undefined);
      return '';
    })
    .trim();
  return isWhole && rest === '';
}
