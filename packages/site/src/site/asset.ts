import { hash } from 'node:crypto';
import type { SiteFile } from './site-files.ts';

/** A file whose name changes with its content. */
export function asset(
  name: string,
  extension: string,
  type: string,
  content: string | Uint8Array,
): SiteFile {
  const version = hash('sha256', content, 'hex').slice(0, 16);
  return { path: `/_assets/${name}-${version}.${extension}`, type, content, immutable: true };
}
