import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { UserError } from '@petstore/service/user-error.ts';

/**
 * The usual roots and those of a PEM file, for connections over TLS; undefined without a file. `variable`: the setting
 * that names the file. Throws a UserError where it cannot be read, or has none.
 */
export function trustedRoots(variable: string, file: string | undefined): string[] | undefined {
  if (file === undefined) return undefined;
  let extra: string;
  try {
    extra = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`${variable} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (!isCertificates(extra)) throw new UserError(`${variable} has no certificate in PEM: ${file}`);
  return [...getCACertificates('default'), extra];
}

function isCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  } catch {
    return false;
  }
}
