import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';

const FILE = 'secret.key';
const KEY_BYTES = 32;

/** Documents what to do without a key. */
export const KEYS_HELP = 'docs/domains-for-operators.md#keys';

/** The permission bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Reads the key of a data folder: 32 bytes in base64, made where there is none. Processes that start at the same time
 * end with the same key. `isNeeded`: there are sealed secrets already, for which a new key is useless. Throws a
 * UserError where the file is invalid, or needed and missing.
 */
export function readOrMakeKey(dataDir: string, isNeeded: boolean): { key: Buffer; source: string } {
  const path = keyPath(dataDir);
  try {
    return { key: readKey(path), source: path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (isNeeded) {
    throw new UserError(
      `${dataDir} has no ${FILE}, but secrets in the database are sealed with it. Restore it from your backup. If it is lost for good, see ${KEYS_HELP}.`,
    );
  }
  writeKey(path, randomBytes(KEY_BYTES));
  return { key: readKey(path), source: path };
}

/** The file that has the key of a data folder. */
export const keyPath = (dataDir: string) => join(dataDir, FILE);

/** What identifies a key, and says nothing of it. */
export function secretKeyId(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('key id '), key]), 'hex').slice(0, 8);
}

/** The key in a file. Throws UserError where it is no key, or where others may read it, and the error of the disk. */
export function readKey(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { mode } = fstatSync(file);
    if (mode & OTHERS) {
      const shown = (mode & 0o777).toString(8);
      throw new UserError(
        `${path} must be readable by its owner alone, and has mode ${shown}: run "chmod 600 ${path}".`,
      );
    }
    const text = readFileSync(file, 'utf8').trim();
    const key = Buffer.from(text, 'base64');
    if (key.length === KEY_BYTES && key.toString('base64') === text) return key;
    throw new UserError(
      `${path} must hold ${KEY_BYTES} bytes in base64. Restore the earlier file: no other key opens the secrets in the database.`,
    );
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a key to a file for its owner alone, unless there is one, whose key stays. It is written under another name
 * first: no process reads half a key, and a link never replaces a file.
 */
export function writeKey(path: string, key: Buffer): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The umask may have removed permissions.
    fchmodSync(file, 0o600);
    writeSync(file, `${key.toString('base64')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
    syncFolder(folder);
  } catch (error) {
    // Another process was faster: its key is used.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/** The file name survives a power cut before anything is sealed with the key. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
