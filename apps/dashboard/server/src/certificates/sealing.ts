import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { UserError } from '@petstore/service/user-error.ts';
import type { Config } from '../config.ts';
import { KEYS_HELP, readKeyFile } from './key-file.ts';

/** Keeps secrets that the database holds from whoever reads the database alone. */
export interface Sealer {
  /** `context`: what the secret belongs to, such as `certificate dom_…`; opening it asks for the same. */
  seal(secret: string, context: string): string;
  /** Throws where the text was sealed with another key or for another context, or is damaged. */
  open(sealed: string, context: string): string;
}

/** Of the layout: `v1.KEY.DATA`, where KEY tells keys apart and DATA is nonce, ciphertext and tag. */
const VERSION = 'v1';

// NIST SP 800-38D: 96-bit nonces, drawn at random, are good for 2^32 secrets a key.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The sealer of an installation: with DASHBOARD_SECRET_KEY, else with the key of a file in the data folder,
 * which is made when there is none. `holdsSealed`: whether the database holds what was sealed before. Throws a
 * UserError when the file is no key, others may read it, or it is gone and something was sealed.
 */
export function openSealer(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  holdsSealed: boolean,
): Sealer {
  if (config.secretKey) return sealerOf(config.secretKey, 'DASHBOARD_SECRET_KEY');
  const { key, path } = readKeyFile(config.dataDir, holdsSealed);
  return sealerOf(key, path);
}

/** AES-256-GCM with 32 bytes. `source` is where the key comes from, for messages. */
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
      if (!sealed.startsWith(prefix)) throw sealedOtherwise(source);
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        // No part of the secret: the cause says only that it does not open.
        throw new Error(`what is sealed for "${context}" is damaged, or was sealed for another`, {
          cause: error,
        });
      }
    },
  };
}

function sealedOtherwise(source: string): UserError {
  return new UserError(
    `The database holds secrets that were sealed with another key than that of ${source}. Start with the key that was used before: in DASHBOARD_SECRET_KEY, or as secret.key in the data folder. If it is lost for good, see ${KEYS_HELP}.`,
  );
}

/** The context of a certificate's private key: in `certificates` and, before, in `issuances`. */
export function certificateKeyContext(domainId: string): string {
  return `certificate ${domainId}`;
}

/** The context of the key of the account at a directory. */
export function accountKeyContext(directoryUrl: string): string {
  return `acme account ${directoryUrl}`;
}
