import { type didYouMean, didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { CHANGELOG } from '../../changelog/changelog-paths.ts';
import { REFERENCE_PATH } from '../../reference/addresses.ts';
import { findInReferences, type ReferenceKind, type ReferenceTargets } from './reference-target.ts';
import { isNotFoundPage, isPage, mediaType, PUBLISHED_KINDS, pagePath } from './site-paths.ts';

/** The possible targets of links. */
export interface LinkTargets {
  /** All files of the archive. */
  readonly files: ReadonlySet<string>;
  /**
   * The pages of each reference; `unknown` where a document cannot be read, so that every link to one is accepted.
   */
  readonly references: readonly ReferenceTargets[] | 'unknown';
  /** Paths of the site without a file in the archive: `/openapi.json`. */
  readonly sitePaths: ReadonlySet<string>;
  /** Where links may lead though nothing is there: a path, or with `isPrefix` all below it. */
  readonly redirects?: readonly { readonly from: string; readonly isPrefix: boolean }[];
  /** The notes of the changelog, which are no pages of their own, with their fragments on its page. */
  readonly notes?: ReadonlyMap<string, string>;
}

export type LinkTarget =
  /** An address outside of the site. */
  | { readonly kind: 'external' }
  /** A page; `anchor` is the decoded fragment. */
  | { readonly kind: 'page'; readonly file: string; readonly path: string; readonly anchor: string }
  /** Any other file or path of the site. */
  | {
      readonly kind: 'file';
      readonly file: string | undefined;
      readonly path: string;
      readonly anchor: string;
    }
  /** `file`: what it would be; undefined where it is no path in the archive. */
  | { readonly kind: 'broken'; readonly message: string; readonly file?: string };

const broken = (message: string): LinkTarget => ({ kind: 'broken', message });

type DidYouMean = typeof didYouMean;

/** What the mistyped addresses of a site mean: to search for what is near takes milliseconds of each. */
export interface Hints {
  readonly link: DidYouMean;
  readonly image: DidYouMean;
}

/** Hints for the first mistyped links and images of a site, or of what a thread renders of it. */
export const hintsOfMany = (): Hints => ({ link: didYouMeanOfMany(), image: didYouMeanOfMany() });

const noHint: DidYouMean = () => '.';

/** Up to how many files a mistyped path may mean any of them. */
const MANY_FILES = 2_000;

/** The files that a path may mean: of very many those of its folder, since to compare all would take milliseconds. */
export function* nearFiles(path: string, files: ReadonlySet<string>): Generator<string> {
  const folder = files.size <= MANY_FILES ? '' : path.slice(0, path.lastIndexOf('/') + 1);
  for (const file of files) if (file.startsWith(folder)) yield file;
}

/** An address as its author wrote it, for messages. */
export const displayHref = (href: string): string => decoded(href) ?? href;

/** The target of `href`, which is written in the page `from`. Of a broken one it says what `hint` finds near. */
export function linkTarget(
  href: string,
  from: string,
  targets: LinkTargets,
  hint: DidYouMean = noHint,
): LinkTarget {
  const [, kind = '', id = ''] = /^(operation|model):(.*)$/is.exec(href) ?? [];
  if (kind) return referenceTarget(kind.toLowerCase() as ReferenceKind, id, targets, hint);
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) return { kind: 'external' };
  const [, address = '', anchor = ''] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? [];
  const path = decoded(address);
  const heading = decoded(anchor);
  if (path === undefined || heading === undefined)
    return broken(`The link \`${displayHref(href)}\` is not valid.`);
  // A note's own fragments have been made those of the changelog by now.
  if (path === '') {
    return { kind: 'page', file: from, path: pagePath(from, targets.files), anchor: heading };
  }
  const file = resolved(path.normalize('NFC'), from);
  if (file === undefined)
    return broken(`The link \`${displayHref(href)}\` leads out of the documentation.`);
  return fileTarget(file, href, heading, targets, hint);
}

function fileTarget(
  file: string,
  href: string,
  anchor: string,
  targets: LinkTargets,
  didYouMean: DidYouMean,
): LinkTarget {
  const { files, references, sitePaths } = targets;
  const page =
    [file, ...ENDINGS.map((ending) => file + ending), otherEnding(file)]
      .map((candidate) => candidate.replace(/^\//, ''))
      .find((candidate) => files.has(candidate) && isPage(candidate)) ??
    pagesByPath(files).get(`/${file}`);
  const note = page && targets.notes?.get(page);
  if (page && note !== undefined) {
    const fragment = anchor === '' ? note : `${note}--${anchor}`;
    return { kind: 'page', file: page, path: CHANGELOG.path, anchor: fragment };
  }
  if (page) return { kind: 'page', file: page, path: pagePath(page, files), anchor };
  if (sitePaths.has(`/${file}`) || isReferencePage(`/${file}`, references)) {
    return sitePathTarget(`/${file}`, href, anchor, targets);
  }
  if (!files.has(file)) {
    if (isRedirected(`/${file}`, targets)) return sitePage(`/${file}`, anchor);
    const message = `The link \`${displayHref(href)}\` is broken: there is no \`${file}\``;
    // A changelog is there once there is something in it.
    const hint =
      `/${file}` === CHANGELOG.path
        ? ' yet. Write `changelog: true` into the configuration, and it is there from the start.'
        : didYouMean(file, nearFiles(file, files));
    return { kind: 'broken', message: message + hint, file };
  }
  if (mediaType(file) === undefined) {
    return broken(
      `\`${file}\` is not published, so it can't be linked to. Kinds that are: ${PUBLISHED_KINDS}.`,
    );
  }
  return { kind: 'file', file, path: `/${file}`, anchor };
}

/** What links may leave out of a page's file. */
const ENDINGS = ['.md', '.mdx', '/index.md', '/index.mdx', '/README.md', '/README.mdx'];

const madePages = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

/** The pages by their paths, for names that are written in other letters: `lower/readme.md` is at `/lower`. */
function pagesByPath(files: ReadonlySet<string>): ReadonlyMap<string, string> {
  const made = madePages.get(files);
  if (made) return made;
  const pages = [...files].filter((file) => isPage(file) && !isNotFoundPage(file));
  const byPath = new Map(pages.map((file) => [pagePath(file, files), file]));
  madePages.set(files, byPath);
  return byPath;
}

/** A page has its Markdown at `/start.md`, whether it is written as `start.md` or `start.mdx`. */
const otherEnding = (file: string) =>
  file.replace(/\.(md|mdx)$/i, (ending) => (/x$/i.test(ending) ? '.md' : '.mdx'));

function isRedirected(path: string, { redirects = [] }: LinkTargets): boolean {
  return redirects.some(({ from, isPrefix }) =>
    isPrefix ? `${path}/`.startsWith(from) : path === from,
  );
}

function isReferencePage(path: string, references: LinkTargets['references']): boolean {
  if (references === 'unknown') return path.startsWith(`${REFERENCE_PATH}/`);
  return references.some(({ paths }) => paths.has(path));
}

/** `operation:createCharge` and `model:Charge`; where several documents have one, `operation:payments/createCharge`. */
function referenceTarget(
  kind: ReferenceKind,
  given: string,
  { references }: LinkTargets,
  didYouMean: DidYouMean,
): LinkTarget {
  if (references === 'unknown') return sitePage(REFERENCE_PATH);
  const found = findInReferences(kind, decoded(given) ?? given, references, didYouMean);
  return 'path' in found ? sitePage(found.path) : broken(found.problem);
}

/** A page of the reference, or another path of the site; of anchors only those of earlier versions are known here. */
function sitePathTarget(
  path: string,
  href: string,
  anchor: string,
  { references }: LinkTargets,
): LinkTarget {
  const [reference] = references === 'unknown' ? [] : references;
  // Sites with several documents never had all in one page.
  if (path !== REFERENCE_PATH || !reference || reference.address !== undefined)
    return sitePage(path, anchor);
  const page = reference.anchors.get(anchor);
  if (page !== undefined) return sitePage(page);
  if (!anchor.startsWith('tag/')) return sitePage(path, anchor);
  return broken(
    `The link \`${displayHref(href)}\` names an operation that the reference does not have.`,
  );
}

const sitePage = (path: string, anchor = ''): LinkTarget => ({
  kind: 'file',
  file: undefined,
  path,
  anchor,
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The path from the archive's root; undefined when it leads out of the archive. */
function resolved(path: string, from: string): string | undefined {
  const start = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..' && start.pop() === undefined) return undefined;
    if (segment !== '' && segment !== '.' && segment !== '..') start.push(segment);
  }
  return start.join('/');
}
