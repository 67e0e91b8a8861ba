import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UserError } from '@petstore/service/user-error.ts';
import { accountKeyContext, certificateKeyContext, sealerOf } from '../../certificates/sealing.ts';
import { keyPath, readKey, secretKeyId } from '../../certificates/secret-key.ts';
import type { Config } from '../../config.ts';
import { sealingContext } from '../../notices/deliver-webhook.ts';
import { accessContext, webhookContext } from '../../repositories/git-access.ts';
import { type SealedValue, sealedValues } from '../../store/backup/sealed-values.ts';
import type { Backup } from './configured-database.ts';

/** The key that opens sealed values, and where it is, for messages. */
export interface SecretKey {
  readonly key: Buffer;
  readonly id: string;
  readonly source: string;
}

/** The option of the commands that read or write a copy of the key. */
export const KEY_FILE = '--key-file <file>';

/**
 * The key in a file, or else the configured one; undefined where there is none. Throws UserError where the file has no
 * key.
 */
export function findKey(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  file?: string,
): SecretKey | undefined {
  if (file === undefined && secretKey) {
    return { key: secretKey, id: secretKeyId(secretKey), source: 'DASHBOARD_SECRET_KEY' };
  }
  const source = file ?? keyPath(dataDir);
  try {
    const key = readKey(source);
    return { key, id: secretKeyId(key), source };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && file === undefined) return undefined;
    if (error instanceof UserError || code === undefined) throw error;
    throw new UserError(
      `${source} cannot be read (${code}). Name a copy of secret.key with --key-file.`,
      { cause: error },
    );
  }
}

/**
 * Opens the sealed values of a backup, whose database is at `path`. Returns how many. Throws UserError where they were
 * sealed with another key, or are damaged.
 */
export function openSecrets(
  backup: Pick<Backup, 'file' | 'secretKey'>,
  path: string,
  { key, id, source }: SecretKey,
): number {
  if (backup.secretKey !== null && backup.secretKey !== id) {
    throw new UserError(
      `The secrets in ${backup.file} were sealed with the key ${backup.secretKey}, and that of ${source} is ${id}. Name a copy of the right one with --key-file.`,
    );
  }
  const sealer = sealerOf(key, source);
  const db = new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true });
  let opened = 0;
  try {
    for (const { column, value, row } of sealedValues(db)) {
      const context = CONTEXTS[column]?.(row);
      if (context === undefined) continue;
      sealer.open(value, context);
      opened += 1;
    }
    return opened;
  } catch (error) {
    throw new UserError(`${backup.file} is damaged: ${(error as Error).message}.`, {
      cause: error,
    });
  } finally {
    db.close();
  }
}

/** For what the values of each column were sealed. Of others the id of the key is looked at. */
const CONTEXTS: Readonly<Record<string, (row: SealedValue['row']) => string>> = {
  'certificates.sealed_key': ({ domain_id }) => certificateKeyContext(String(domain_id)),
  'issuances.sealed_key': ({ domain_id }) => certificateKeyContext(String(domain_id)),
  'acme_accounts.sealed_key': ({ directory_url }) => accountKeyContext(String(directory_url)),
  'webhooks.sealed_secret': ({ id }) => sealingContext({ id: String(id) }),
  'repositories.sealed_secret': ({ id }) => accessContext({ id: String(id) }),
  'repositories.sealed_webhook_secret': ({ id }) => webhookContext({ id: String(id) }),
};
