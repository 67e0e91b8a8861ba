export interface DeployKey {
  /** In OpenSSH's format, which begins with `-----BEGIN OPENSSH PRIVATE KEY-----`. */
  readonly privateKey: string;
  /** One line, as in `authorized_keys`: `ssh-ed25519 AAAA… comment`. */
  readonly publicKey: string;
}

/** A new pair of ed25519 keys. `comment`: what a list of keys shows, such as the project's name; one line. */
export async function createDeployKey(_comment: string): Promise<DeployKey> {
  throw new Error('not there yet');
}
