import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A secret that a webhook and its receiver share, as the receiver's library takes it: `whsec_` and base64. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of Standard Webhooks (version 1.0.0, "Webhook metadata" and "Signature scheme"). `id` is that
 * of the message, `at` the time of this attempt in milliseconds, `body` exactly what is sent.
 */
export function signatureHeaders(
  secret: string,
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const timestamp = `${Math.floor(at / 1_000)}`;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
