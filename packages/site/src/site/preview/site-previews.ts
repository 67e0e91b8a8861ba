import { truncate } from '@petstore/service/text.ts';
import { asset } from '../asset.ts';
import { type SiteFile, TYPES } from '../site-files.ts';
import { type PreviewText, previewPainter } from './draw-preview.ts';

/** The preview image of a page, which networks show beside a link to it. */
export interface Preview {
  /** Absolute: crawlers take nothing else. */
  readonly address: string;
  readonly alt: string;
  /** undefined where it was given for another page already. */
  readonly file: SiteFile | undefined;
}

/** The preview images of a site's pages. */
export interface SitePreviews {
  /** The image of a page, drawn now; without a text that of the site. */
  of(text: PreviewText | undefined): Preview;
}

export interface PreviewedSite {
  /** Under which the site is for everyone: `https://pets.docs.example.com`. */
  readonly origin: string;
  readonly title: string;
  readonly description: string;
  /** The theme's: `#0a58ca`. */
  readonly color: string;
}

/** Each takes a millisecond and 8 kB. Pages beyond these have the site's own. */
const MAX_IMAGES = 2_000;

const MAX_ALT = 300;

/**
 * Images are named by their content. So a page of a deploy that is not live refers to an image of its own or to none,
 * never to one that says something else.
 */
export function sitePreviews({ origin, title, description, color }: PreviewedSite): SitePreviews {
  const painter = previewPainter({ title, color });
  const given = new Set<string>();
  const draw = (text: PreviewText): Preview => {
    const file = asset('preview', 'png', TYPES.png, painter.draw(text));
    const isNew = !given.has(file.path);
    given.add(file.path);
    const address = `${origin}${file.path}`;
    return { address, alt: altOf(text, title), file: isNew ? file : undefined };
  };
  let own: Preview | undefined;
  return {
    of(text) {
      if (text && given.size < MAX_IMAGES) return draw(text);
      const first = own;
      own ??= draw({ title, description, label: undefined, operation: undefined });
      return first ? { ...first, file: undefined } : own;
    },
  };
}

function altOf({ title, operation }: PreviewText, site: string): string {
  const words = operation ? `${operation.method} ${operation.path}: ${title}` : title;
  return truncate(title === site && !operation ? title : `${words} · ${site}`, MAX_ALT);
}
