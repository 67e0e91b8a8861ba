import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { EventTypeSchema } from '../events/event.ts';
import { named, OneOf, Ref } from '../schema-types.ts';

// What a webhook is for its owner.

const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'Where events are sent: an https address that the internet can reach.',
  examples: ['https://example.com/hooks'],
});

const events = Type.Array(Ref(EventTypeSchema), {
  maxItems: 20,
  description: 'What is sent; an empty list for everything, whatever may come.',
  examples: [['pet.created', 'order.placed']],
});

const time = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: ['2026-11-21T12:00:00.000Z'],
  });

const sentence = (description: string, example: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] });

export type WebhookInput = Static<typeof WebhookInput>;
export const WebhookInput = named(
  'WebhookInput',
  Type.Object(
    { url, events: Type.Optional(events) },
    { description: 'A webhook to make. Members that are not listed here are ignored.' },
  ),
);

export type WebhookPatchBody = Static<typeof WebhookPatchBody>;
export const WebhookPatchBody = named(
  'WebhookPatch',
  Type.Object(
    {
      url: Type.Optional(url),
      events: Type.Optional(events),
      state: Type.Optional(
        OneOf(['enabled', 'disabled'], {
          description:
            'disabled: it is sent nothing. enabled: it goes on with the events since then, as far as they are kept.',
        }),
      ),
    },
    { description: 'What is to change.' },
  ),
);

const id = Type.String({ description: 'Its id.', examples: ['wh_0123456789abcdef'] });

const webhook = {
  id,
  url,
  events,
  state: OneOf(['enabled', 'failing', 'disabled'], {
    description:
      'failing: the last deliveries failed, and one at a time is tried again; disabled: it is sent nothing.',
  }),
  reason: sentence(
    'Why it is failing or disabled; null where it is enabled.',
    'The receiver responded with 500.',
  ),
  since: time('Since when it is failing or disabled; null where it is enabled.'),
  retryAt: time('When a failing one is tried again.'),
  createdAt: Type.String({ format: 'date-time', description: 'When it was made.' }),
  lastEventId: Type.String({
    description: 'Every event up to this one was delivered to it, or is among its deliveries.',
    examples: ['42'],
  }),
  oldSecretUntil: time('Until when the secret before the last rotation signs as well.'),
};

export const WebhookSchema = named(
  'Webhook',
  Type.Object(webhook, { description: 'Whom events are sent to.' }),
);

export const WebhookWithSecret = named(
  'WebhookWithSecret',
  Type.Object(
    {
      ...webhook,
      secret: Type.String({
        description: 'What signs its deliveries (Standard Webhooks). It is shown this once.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    },
    { description: 'A webhook with its new secret.' },
  ),
);

export const Webhooks = named(
  'Webhooks',
  Type.Array(Ref(WebhookSchema), { description: 'All webhooks, the oldest first.' }),
);

export const AttemptSchema = named(
  'DeliveryAttempt',
  Type.Object(
    {
      at: Type.String({ format: 'date-time', description: 'When it began.' }),
      durationMs: Type.Integer({
        description: 'How long it took, in milliseconds.',
        examples: [12],
      }),
      status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The status of the response; null where there was none.',
        examples: [204],
      }),
      error: sentence('Why it failed; null where it did not.', 'The receiver responded with 500.'),
      response: Type.Optional(
        Type.String({ description: "The beginning of a failed attempt's response." }),
      ),
    },
    { description: 'An attempt to deliver.' },
  ),
);

export const DeliverySchema = named(
  'Delivery',
  Type.Object(
    {
      id: Type.String({ description: 'The id of its event.', examples: ['42'] }),
      type: Type.String({ description: 'The type of its event.', examples: ['pet.created'] }),
      state: OneOf(['waiting', 'delivered', 'failed'], {
        description:
          'waiting: it is tried again, or waits for an earlier event of the same animal.',
      }),
      nextAttemptAt: time('When it is tried again; null where that is not known, or never.'),
      attempts: Type.Array(Ref(AttemptSchema), { description: 'The newest last, ten at most.' }),
    },
    { description: 'An event on its way to a webhook.' },
  ),
);

export const DeliveriesSchema = named(
  'Deliveries',
  Type.Array(Ref(DeliverySchema), {
    description:
      'Deliveries of the newest events first: all that are waiting, and the last that are over.',
  }),
);

/** In the order of the document. */
export const WEBHOOK_SCHEMAS = [
  ...[WebhookInput, WebhookPatchBody, WebhookSchema, WebhookWithSecret, Webhooks],
  ...[AttemptSchema, DeliverySchema, DeliveriesSchema],
];
