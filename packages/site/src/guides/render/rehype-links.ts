import type { Element, ElementContent, Root } from 'hast';
import { SKIP, visitElements } from '../../markdown/visit.ts';
import type { Rule } from '../../rules.ts';
import { hrefOf } from '../../site/site-files.ts';
import {
  displayHref,
  type Hints,
  type LinkTargets,
  linkTarget,
  nearFiles,
} from '../links/link-target.ts';
import { isImage } from '../links/site-paths.ts';

/** The links of a page, resolved. */
export interface PageLinks {
  /** Links to pages, this one included: their anchors are checked when all pages are rendered. */
  readonly pages: {
    readonly file: string;
    readonly anchor: string;
    readonly href: string;
    readonly line: number;
  }[];
  /** Files that have to be published. */
  readonly files: Set<string>;
  /** The icons that it shows by their names. */
  readonly icons: Set<string>;
  /** Whether any block is drawn as a diagram. */
  hasDiagrams: boolean;
  readonly problems: PageProblem[];
  readonly warnings: { readonly rule: Rule; readonly message: string; readonly line: number }[];
}

interface PageProblem {
  readonly message: string;
  readonly line: number;
  /** A link that leads nowhere: the configuration may take it as a warning. */
  readonly isLink?: true;
}

/**
 * Turns the links and images of the page `from` into addresses of the site. It runs after the sanitizer, which has
 * removed attributes that are not addresses.
 */
export function rehypeLinks(options: {
  readonly from: string;
  readonly targets: LinkTargets;
  readonly found: PageLinks;
  readonly hints: Hints;
}) {
  const { from, targets, found, hints } = options;

  function link(node: Element, href: string): void {
    const line = lineOf(node);
    const target = linkTarget(href, from, targets, hints.link);
    if (target.kind === 'broken')
      found.problems.push({ message: target.message, line, isLink: true });
    else if (target.kind === 'external') node.properties.rel = ['noopener', 'noreferrer'];
    else {
      const { path, anchor, file } = target;
      // The first page is also at `/`, and stays there.
      const page = href.startsWith('#') ? '' : hrefOf(path);
      node.properties.href = page + (anchor && `#${encodeURI(anchor)}`);
      if (target.kind === 'page')
        found.pages.push({ file: target.file, anchor, href: displayHref(href), line });
      else if (file !== undefined) found.files.add(file);
    }
  }

  /** The image, or its replacement. */
  function image(node: Element, src: string): ElementContent {
    const line = lineOf(node);
    const target = linkTarget(src, from, targets);
    if (target.kind === 'external') {
      found.warnings.push({
        rule: 'image',
        message: `\`${src}\` is on another site, which pages load nothing from: it became a link. Put the image into the archive.`,
        line,
      });
      return linkToImage(node, src);
    }
    if (target.kind === 'file' && target.file !== undefined && isImage(target.file)) {
      found.files.add(target.file);
      Object.assign(node.properties, {
        src: hrefOf(target.path),
        loading: 'lazy',
        decoding: 'async',
      });
      node.properties.alt ??= '';
      return node;
    }
    const meant = target.kind === 'broken' ? (target.file ?? src) : src;
    const images = nearFiles(meant, targets.files).filter(isImage);
    const message =
      target.kind === 'broken'
        ? `The image \`${displayHref(src)}\` is not in the archive${hints.image(meant, images)}`
        : `\`${src}\` is not an image.`;
    found.warnings.push({
      rule: 'image',
      message: `${message} Its text is shown in its place.`,
      line,
    });
    return { type: 'text', value: alternativeOf(node) };
  }

  return (tree: Root): void => {
    visitElements(tree, (node, index, parent) => {
      const { href, src } = node.properties;
      if (node.tagName === 'a' && typeof href === 'string') link(node, href);
      if (node.tagName !== 'img') return undefined;
      if (typeof src === 'string') {
        parent.children[index] = image(node, src);
        return SKIP;
      }
      // The sanitizer removed its address, since a page may not load it.
      parent.children.splice(index, 1);
      return [SKIP, index];
    });
  };
}

const lineOf = (node: Element) => node.position?.start.line ?? 1;

const alternativeOf = ({ properties }: Pick<Element, 'properties'>) =>
  typeof properties.alt === 'string' ? properties.alt : '';

function linkToImage({ properties }: Element, src: string): Element {
  const text = alternativeOf({ properties }) || src;
  return {
    type: 'element',
    tagName: 'a',
    properties: { href: src, rel: ['noopener', 'noreferrer'] },
    children: [{ type: 'text', value: text }],
  };
}
