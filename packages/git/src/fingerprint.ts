import { createHash } from 'node:crypto';

/**
 * How OpenSSH shows a key, `SHA256:…`. `key`: a public key or a host's, such as `ssh-ed25519 AAAA…`, with or without a
 * comment.
 */
export function fingerprint(key: string): string {
  const [, data = ''] = key.split(' ');
  const hash = createHash('sha256').update(Buffer.from(data, 'base64')).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}
