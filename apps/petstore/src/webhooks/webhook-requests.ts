import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { ReceiverUrlError, readReceiverUrl } from '@petstore/webhooks/receiver-url.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { notFound } from '../http/api-error.ts';
import { describeJson } from '../http/json-response.ts';
import { headerLines, responseOf } from '../http/service-response.ts';
import { OWN_STORE } from '../store/own-store.ts';
import type { Store } from '../store/store.ts';
import type { StoredWebhook } from './webhook.ts';

// What the routes of webhooks have in common.

export interface WebhooksDeps {
  readonly config: Pick<Config, 'maxWebhooks' | 'webhookPrivateAddresses'>;
  readonly store: Pick<Store, 'webhooks' | 'events'>;
  /** Called when there is something to deliver to. */
  readonly onChange: () => void;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

export const READS = { scope: 'webhooks:read', stability: 'experimental' } as const;
export const WRITES = { scope: 'webhooks:write', stability: 'experimental' } as const;
export const TAGS = ['webhooks'];
export const NO_WEBHOOK = { not_found: 'No webhook has this id.' } as const;

export const WebhookParams = Type.Object({
  webhookId: Type.String({ description: 'Id of the webhook.' }),
});

/** The store whose events a key is about. */
export function storeOf({ apiKey }: FastifyRequest): string {
  return apiKey.sandbox?.id ?? OWN_STORE;
}

/** The webhook that a request names. Throws ApiError `not_found` where its owner has none with this id. */
export async function findWebhook(
  webhooks: Store['webhooks'],
  request: FastifyRequest,
): Promise<StoredWebhook> {
  const { webhookId } = request.params as { webhookId: string };
  return orNotFound(await webhooks.get(storeOf(request), webhookId));
}

/** Throws ApiError `not_found` where there is none. */
export function orNotFound(webhook: StoredWebhook | undefined): StoredWebhook {
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** Loaded here: few make webhooks, and the library takes time to load. */
export async function newSecret(): Promise<string> {
  const { makeWebhookSecret } = await import('@petstore/webhooks/signature.ts');
  return makeWebhookSecret();
}

/** Throws ApiError `invalid_request` where the URL cannot be a receiver's. */
export function readUrl(text: string, allowsPrivate: boolean): string {
  try {
    const setting = 'PETSTORE_WEBHOOK_PRIVATE_ADDRESSES';
    return readReceiverUrl(text, { allowsPrivate, setting });
  } catch (error) {
    if (!(error instanceof ReceiverUrlError)) throw error;
    throw new ApiError('invalid_request', error.message);
  }
}

/** Responds with JSON that nobody may store: it has secrets, and changes by itself. */
export function send(
  reply: FastifyReply,
  status: number,
  body: object,
  headers: readonly string[] = [],
): void {
  const json = JSON.stringify(body);
  const { lines, encoding } = describeJson(json);
  reply.hijack();
  responseOf(reply).respond(
    status,
    lines + headerLines(['cache-control', 'no-store', ...headers]),
    json,
    encoding,
  );
}
