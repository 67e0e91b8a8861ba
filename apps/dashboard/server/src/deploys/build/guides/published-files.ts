/**
 * Images. They are always published, since descriptions in the reference may show them, and those are not searched for
 * links.
 */
const IMAGES: Record<string, string> = {
  avif: 'image/avif',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** Files that are published only when a page links to them: a folder may have more than is meant for everybody. */
const DOWNLOADS: Record<string, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  pdf: 'application/pdf',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const extension = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const isImage = (path: string): boolean => Object.hasOwn(IMAGES, extension(path));

/** The media type of a file; undefined for kinds that are never served. */
export function mediaType(path: string): string | undefined {
  const name = extension(path);
  if (Object.hasOwn(IMAGES, name)) return IMAGES[name];
  return Object.hasOwn(DOWNLOADS, name) ? DOWNLOADS[name] : undefined;
}

/** The kinds that may be linked to, for a message. */
export const PUBLISHED_KINDS = [...Object.keys(IMAGES), ...Object.keys(DOWNLOADS)]
  .sort()
  .join(', ');
