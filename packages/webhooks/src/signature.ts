import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A secret that a webhook and its receiver share, as the receiver's library takes it: `whsec_` and base64. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The headers of Standard Webhooks (version 1.0.0, "Webhook metadata" and "Signature scheme"). `id` is that
 * of the message, `at` the time of this attempt in milliseconds, `body` exactly what is sent. With several secrets, as
 * while one is rotated, there is a signature by each. Throws where a secret is none.
 */
export function signatureHeaders(
  secrets: string | readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const signatures = [secrets]
    .flat()
    .map((secret) => signerOf(secret).sign(id, new Date(at), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at / 1_000)}`,
    'webhook-signature': signatures.join(' '),
  };
}

/** Signers of secrets that were used lately: to read a secret takes as long as to sign. */
const signers = new Map<string, Webhook>();
const MAX_SIGNERS = 1_000;

function signerOf(secret: string): Webhook {
  let signer = signers.get(secret);
  if (!signer) {
    signer = new Webhook(secret);
    if (signers.size >= MAX_SIGNERS) signers.clear();
    signers.set(secret, signer);
  }
  return signer;
}
