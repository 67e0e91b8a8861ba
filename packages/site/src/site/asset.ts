import { hash } from 'node:crypto';
import type { SiteFile } from './site-files.ts';

/** A file whose name changes with its content. */
export function asset(
  name: string,
  extension: string,
  type: string,
  content: string | Uint8Array,
): SiteFile {
  return { path: assetPath(name, extension, content), type, content, immutable: true };
}

/** The path of a file whose name changes with `version`: its content, or what that is made of. */
export function assetPath(name: string, extension: string, version: string | Uint8Array): string {
  return `/_assets/${name}-${hash('sha256', version, 'hex').slice(0, 16)}.${extension}`;
}
