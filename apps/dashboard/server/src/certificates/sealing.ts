import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPair,
  hash,
  randomBytes,
} from 'node:crypto';
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
import { promisify } from 'node:util';
import { UserError } from '@petstore/service/user-error.ts';
import type { Config } from '../config.ts';
import { findAnyAcmeAccount } from '../store/acme-accounts.ts';
import { findAnyCertificate } from '../store/certificates.ts';
import type { Db } from '../store/schema.ts';

const FILE = 'secret.key';
const KEY_BYTES = 32;

/** Documents what to do without a key. */
const KEYS_HELP = 'docs/domains-for-operators.md#keys';

/** The permission bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Reads the key of a data folder: 32 bytes in base64, made where there is none. Processes that start at the same time
 * end with the same key. `isNeeded`: there are sealed secrets already, for which a new key is useless. Throws a
 * UserError where the file is invalid, or needed and missing.
 */
function readKeyFile(dataDir: string, isNeeded: boolean): { key: Buffer; path: string } {
  const path = join(dataDir, FILE);
  try {
    return { key: readKey(path), path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (isNeeded) {
    throw new UserError(
      `${dataDir} has no ${FILE}, but secrets in the database are sealed with it. Restore it from your backup. If it is lost for good, see ${KEYS_HELP}.`,
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
      `${path} must hold ${KEY_BYTES} bytes in base64. Restore the earlier file: no other key opens the secrets in the database.`,
    );
  } finally {
    closeSync(file);
  }
}

/** Writes the key under another name first: no process reads half a key, and a link never replaces a file. */
function makeKey(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The umask may have removed permissions.
    fchmodSync(file, 0o600);
    writeSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
    syncFolder(dataDir);
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

/** Encrypts secrets in the database: whoever reads the database alone cannot read them. */
export interface Sealer {
  /** `context`: what the secret belongs to, such as `certificate dom_…`. It opens with the same context only. */
  seal(secret: string, context: string): string;
  /** Throws where the text was sealed with another key or for another context, or is damaged. */
  open(sealed: string, context: string): string;
}

/** The version of the format `v1.KEY.DATA`: KEY identifies the key; DATA is nonce, ciphertext and tag. */
const VERSION = 'v1';

// NIST SP 800-38D: with random 96-bit nonces a key is safe for 2^32 secrets.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The sealer of an installation: with DASHBOARD_SECRET_KEY, or else with the key file in the data folder, which is
 * made when there is none. `holdsSealed`: whether the database holds sealed secrets. Throws a UserError when the file
 * has no valid key, others may read it, or it is missing and there are sealed secrets.
 */
export function openSealer(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  holdsSealed: boolean,
): Sealer {
  if (config.secretKey) return sealerOf(config.secretKey, 'DASHBOARD_SECRET_KEY');
  const { key, path } = readKeyFile(config.dataDir, holdsSealed);
  return sealerOf(key, path);
}

/** A sealer by AES-256-GCM. `key`: 32 bytes; `source`: where the key comes from, for messages. */
export function sealerOf(key: Buffer, source: string): Sealer {
  const keyId = hash('sha256', Buffer.concat([Buffer.from('key id '), key]), 'hex').slice(0, 8);
  const prefix = `${VERSION}.${keyId}.`;
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return prefix + Buffer.concat(sealed).toString('base64url');
    },

    open(sealed, context) {
      if (!sealed.startsWith(prefix)) throw sealedWithOtherKey(source);
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        // The cause contains no part of the secret.
        throw new Error(
          `the secret sealed for "${context}" is damaged, or was sealed for something else`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

function sealedWithOtherKey(source: string): UserError {
  return new UserError(
    `The secrets in the database were sealed with another key than that of ${source}. Start with the earlier key, in DASHBOARD_SECRET_KEY or as secret.key in the data folder. If it is lost for good, see ${KEYS_HELP}.`,
  );
}

/** The context of a certificate's private key, in `certificates` and in `issuances`. */
export function certificateKeyContext(domainId: string): string {
  return `certificate ${domainId}`;
}

/** The context of the account key for a directory. */
export function accountKeyContext(directoryUrl: string): string {
  return `acme account ${directoryUrl}`;
}

const generate = promisify(generateKeyPair);

/** A new P-256 key, in PEM: every authority and every browser of this decade supports it. */
export async function makePrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The SHA-256 of the public key that belongs to a private one (PEM), as SubjectPublicKeyInfo, in hexadecimal. */
export function publicKeyHash(privateKey: string): string {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return hash('sha256', der, 'hex');
}

/** Rejects with a UserError where the database was sealed with another key: better at the start than in a handshake. */
export async function checkSealed(db: Db, sealer: Sealer): Promise<void> {
  const account = await findAnyAcmeAccount(db);
  if (account) sealer.open(account.sealed_key, accountKeyContext(account.directory_url));
  const certificate = await findAnyCertificate(db);
  if (certificate) {
    sealer.open(certificate.sealed_key, certificateKeyContext(certificate.domain_id));
  }
}
