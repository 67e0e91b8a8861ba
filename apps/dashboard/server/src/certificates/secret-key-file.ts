import { randomBytes } from 'node:crypto';
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
import { join } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';

const FILE = 'secret.key';
const KEY_BYTES = 32;

/** Where it is written what to do without a key. */
export const KEYS_HELP = 'docs/custom-domains.md#keys';

/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/**
 * The key in a data folder, and where it is: 32 bytes in base64, made where there is none. Of processes that
 * make it at once, one does; all read the same. `isNeeded`: something is sealed already, so that no other key
 * will do. Throws a UserError where it is unfit, or needed and not there.
 */
export function readKeyFile(dataDir: string, isNeeded: boolean): { key: Buffer; path: string } {
  const path = join(dataDir, FILE);
  try {
    return { key: readKey(path), path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (isNeeded) {
    throw new UserError(
      `There is no ${FILE} in ${dataDir}, and the database holds secrets that it sealed. Put it back from your backup; if it is lost for good, see ${KEYS_HELP}.`,
    );
  }
  makeKey(dataDir, path);
  return { key: readKey(path), path };
}

function readKey(path: string): Buffer {
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
      `${path} must hold ${KEY_BYTES} bytes in base64. Put back the file that was there before: what the database holds sealed opens with no other.`,
    );
  } finally {
    closeSync(file);
  }
}

/** Written whole under another name first: nobody sees half a key, and a link is never put over a file. */
function makeKey(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    // Whatever the umask took away.
    fchmodSync(file, 0o600);
    writeSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
    syncFolder(dataDir);
  } catch (error) {
    // Another process was quicker: its key it is.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/** So that the name outlives a power cut, too, before anything is sealed with the key. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
