import { createHmac } from 'node:crypto';
import type { RepositoryWebhookSecret } from '../../../server/src/repositories/repository.ts';
import { json, type Visitor } from '../../support/service.ts';
import { REPOSITORY } from './repositories.ts';

/** A new secret for the webhook of `pets`, and where the host sends its webhooks. */
export const makeSecret = async (owner: Visitor): Promise<RepositoryWebhookSecret> =>
  json(await owner.call('POST', `${REPOSITORY}/webhook-secret`), 201);

export const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

type Headers = Readonly<Record<string, string>>;

/** A push as each host sends it, with the secret that was entered there. */
export const PUSHES: Readonly<Record<string, (secret: string, body: string) => Headers>> = {
  GitHub: (secret, body) => ({
    'x-github-event': 'push',
    'x-github-delivery': crypto.randomUUID(),
    'x-hub-signature': 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
    'x-hub-signature-256': `sha256=${hmac(secret, body).digest('hex')}`,
  }),
  Gitea: (secret, body) => ({
    'x-gitea-event': 'push',
    'x-gitea-delivery': crypto.randomUUID(),
    'x-gitea-signature': hmac(secret, body).digest('hex'),
  }),
  Forgejo: (secret, body) => ({
    'x-github-event': 'push',
    'x-forgejo-delivery': crypto.randomUUID(),
    'x-forgejo-signature': hmac(secret, body).digest('hex'),
  }),
  Bitbucket: (secret, body) => ({
    'x-event-key': 'repo:push',
    'x-request-uuid': crypto.randomUUID(),
    'x-hub-signature': `sha256=${hmac(secret, body).digest('hex')}`,
  }),
  'GitLab, by its token': (secret) => ({
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-event-uuid': crypto.randomUUID(),
    'x-gitlab-token': secret,
  }),
  'GitLab, signed': (secret, body) =>
    standardHeaders(Buffer.from(secret.replace('whsec_', ''), 'base64'), body),
  'GitLab, signed with the text of the token': (secret, body) => standardHeaders(secret, body),
};

/** The headers of Standard Webhooks. */
export function standardHeaders(
  key: string | Buffer,
  body: string,
  { id = `msg_${crypto.randomUUID()}`, at = Date.now() } = {},
): Headers {
  const timestamp = `${Math.floor(at / 1_000)}`;
  return {
    'x-gitlab-event': 'Push Hook',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest('base64')}`,
  };
}

/** Sends a webhook as a host does, without an account. */
export const send = (url: string, body: string, headers: Headers, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type, ...headers }, body });
