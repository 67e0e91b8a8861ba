import { truncate } from '../../../truncate.ts';
import { ARCHIVE_LIMITS, ArchiveError } from './limits.ts';

/** A name for a message, shortened and escaped: it may be anything. */
export function displayPath(name: string): string {
  const text = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll('\\\\', '\\');
  return truncate(text, 120);
}

/**
 * The path of an entry, from the archive's root: segments with `/` between them, in Unicode form NFC.
 * undefined for the root itself. Throws ArchiveRefusal for a name that could mean another place, on any
 * system that unpacks it.
 */
export function entryPath(name: string): string | undefined {
  const refuse = (rule: string) =>
    new ArchiveError(`${rule}: “${displayPath(name)}”.`, displayPath(name));
  // Decoders put U+FFFD where bytes are not UTF-8.
  if (name.includes('\ufffd') || !name.isWellFormed()) throw refuse('A name is not valid UTF-8');
  if (/\p{Cc}/u.test(name)) throw refuse('A name holds a control character');
  if (name.includes('\\')) throw refuse('A name holds a backslash; folders are separated by “/”');
  if (name.startsWith('/')) throw refuse('A name is an absolute path');
  const path = name
    .normalize('NFC')
    .replace(/^(\.\/)+/, '')
    .replace(/\/$/, '');
  if (path === '' || path === '.') return undefined;
  const segments = path.split('/');
  // In any segment, since the ones before it may be removed, such as a folder around all files.
  if (segments.some((segment) => /^[a-z]:/i.test(segment))) {
    throw refuse('A name has a drive letter');
  }
  if (segments.includes('..')) throw refuse('A name leads out of the archive with “..”');
  if (segments.includes('.') || segments.includes('')) {
    throw refuse('A name has an empty or “.” segment');
  }
  if (Buffer.byteLength(path) > ARCHIVE_LIMITS.path) {
    throw refuse(`A path may have at most ${ARCHIVE_LIMITS.path} bytes`);
  }
  if (segments.length > ARCHIVE_LIMITS.depth) {
    throw refuse(`A path may be at most ${ARCHIVE_LIMITS.depth} levels deep`);
  }
  return path;
}

/** Files that macOS adds to the folders that it packs. */
export function isIgnored(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.startsWith('__MACOSX/') || name === '.DS_Store' || name.startsWith('._');
}
