import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

export interface DeployKey {
  /** In OpenSSH's format, which begins with `-----BEGIN OPENSSH PRIVATE KEY-----`. */
  readonly privateKey: string;
  /** One line, as in `authorized_keys`: `ssh-ed25519 AAAA… comment`. */
  readonly publicKey: string;
}

const TYPE = 'ssh-ed25519';

/**
 * A new pair of ed25519 keys. `comment`: what a list of keys shows, such as the project's name; characters that would end
 * its line are left out.
 *
 * Node writes no key that OpenSSH of 2023 reads, and ssh-keygen would write the private half to a file.
 */
export async function createDeployKey(comment: string): Promise<DeployKey> {
  const pair = await promisify(generateKeyPair)('ed25519');
  const { x = '', d = '' } = pair.privateKey.export({ format: 'jwk' });
  const [publicBytes, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const label = comment.replace(/\p{Cc}+/gu, ' ').trim();
  const blob = Buffer.concat([field(TYPE), field(publicBytes)]);
  const lines = privateFile(blob, publicBytes, seed, label)
    .toString('base64')
    .match(/.{1,70}/g);
  return {
    privateKey: [
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      ...(lines ?? []),
      '-----END OPENSSH PRIVATE KEY-----',
      '',
    ].join('\n'),
    publicKey: `${TYPE} ${blob.toString('base64')} ${label}`.trim(),
  };
}

/** https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key, without a passphrase. */
function privateFile(blob: Buffer, publicBytes: Buffer, seed: Buffer, label: string): Buffer {
  // The same number twice, by which OpenSSH tells a wrong passphrase.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    ...[check, check, field(TYPE), field(publicBytes)],
    ...[field(Buffer.concat([seed, publicBytes])), field(label)],
  ]);
  // Filled up with 1, 2, 3, … to a multiple of 8.
  const rest = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secret.length % 8)) % 8));
  return Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field('')],
    ...[uint32(1), field(blob), field(Buffer.concat([secret, rest]))],
  ]);
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
