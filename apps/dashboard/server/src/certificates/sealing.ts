import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPair,
  hash,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';
import { UserError } from '@petstore/service/user-error.ts';
import type { Config } from '../config.ts';
import type { SealedSample } from '../store/sealed.ts';
import { KEYS_HELP, readOrMakeKey, secretKeyId } from './secret-key.ts';

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
 * made when there is none. `samples`: sealed secrets of the database. Throws a UserError when the file has no valid key,
 * others may read it, or it is missing and there are sealed secrets, and when one was sealed with another key: better at
 * the start than in a handshake.
 */
export function openSealer(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  samples: readonly SealedSample[],
): Sealer {
  const { key, source } = config.secretKey
    ? { key: config.secretKey, source: 'DASHBOARD_SECRET_KEY' }
    : readOrMakeKey(config.dataDir, samples.length > 0);
  const id = secretKeyId(key);
  const other = samples.find(({ text }) => keyIdOf(text) !== id);
  if (other)
    throw sealedWithOtherKey(source, ` (${other.table}: ${keyIdOf(other.text)}, not ${id})`);
  return sealerOf(key, source);
}

/** The id of the key that a text was sealed with; undefined where it is not sealed. */
export function keyIdOf(sealed: string): string | undefined {
  return /^v1\.([0-9a-f]{8})\.[\w-]+$/.exec(sealed)?.[1];
}

/** A sealer by AES-256-GCM. `key`: 32 bytes; `source`: where the key comes from, for messages. */
export function sealerOf(key: Buffer, source: string): Sealer {
  const prefix = `${VERSION}.${secretKeyId(key)}.`;
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

function sealedWithOtherKey(source: string, which = ''): UserError {
  return new UserError(
    `The secrets in the database were sealed with another key than that of ${source}${which}. Start with the earlier key, in DASHBOARD_SECRET_KEY or as secret.key in the data folder. If it is lost for good, see ${KEYS_HELP}.`,
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

/** The context of the secret of a user's authenticator app. */
export function authenticatorAppContext(userId: string): string {
  return `authenticator app ${userId}`;
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
