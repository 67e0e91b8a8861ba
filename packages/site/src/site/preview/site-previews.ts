import { truncate } from '@petstore/service/text.ts';
import { assetPath } from '../asset.ts';
import { type SiteFile, TYPES } from '../site-files.ts';
import {
  DRAWING,
  type PreviewedSite,
  type PreviewImage,
  type PreviewText,
} from './draw-preview.ts';

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
  /** The image of a page; without a text that of the site. */
  of(text: PreviewText | undefined): Preview;
}

interface PublishedSite extends PreviewedSite {
  /** Under which the site is for everyone: `https://pets.docs.example.com`. */
  readonly origin: string;
  readonly description: string;
}

/** Each takes two milliseconds and 8 kB. Pages beyond these have the site's own. */
const MAX_IMAGES = 2_000;

const MAX_ALT = 300;

/**
 * Images are named by what they say. So a page of a deploy that is not live refers to an image of its own or to none,
 * never to one that says something else.
 */
export function sitePreviews({ origin, description, ...site }: PublishedSite): SitePreviews {
  const given = new Set<string>();
  const give = (text: PreviewText): Preview => {
    const path = pathOf({ site, text });
    const isNew = !given.has(path);
    given.add(path);
    return {
      address: `${origin}${path}`,
      alt: altOf(text, site.title),
      file: isNew ? { path, type: TYPES.png, content: { site, text }, immutable: true } : undefined,
    };
  };
  let own: Preview | undefined;
  return {
    of(text) {
      if (text && given.size < MAX_IMAGES) return give(text);
      const first = own;
      own ??= give({ title: site.title, description, label: undefined, operation: undefined });
      return first ? { ...first, file: undefined } : own;
    },
  };
}

/** By values alone, whatever else the objects have. */
function pathOf({ site, text }: PreviewImage): string {
  const { title, description, label = null, operation } = text;
  const says = [title, description, label, operation?.method, operation?.path];
  const version = JSON.stringify([DRAWING, site.title, site.color, ...says]);
  return assetPath('preview', 'png', version);
}

function altOf({ title, operation }: PreviewText, site: string): string {
  const words = operation ? `${operation.method} ${operation.path}: ${title}` : title;
  return truncate(title === site && !operation ? title : `${words} · ${site}`, MAX_ALT);
}
