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
 * of the message, `at` the time of this attempt in milliseconds, `body` exactly what is sent. Throws where the secret
 * is none.
 */
export function signatureHeaders(
  secret: string,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at / 1_000)}`,
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
  };
}
