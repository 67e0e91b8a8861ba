import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';
import { EVENT_TYPES } from './event-types.ts';

const Events = Type.Array(OneOf([...EVENT_TYPES]), {
  minItems: 1,
  uniqueItems: true,
  description: 'The events that it is sent.',
});

/** `POST /api/projects/{slug}/webhooks` */
export const NewWebhook = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'Where to send to: https, and reachable from the internet.',
  }),
  events: Type.Optional({ ...Events, description: 'The events to send; all of them by default.' }),
});

/** `PATCH /api/projects/{slug}/webhooks/{id}` */
export const WebhookChange = Type.Object({ events: Events });
export type WebhookChange = Static<typeof WebhookChange>;

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Events,
    createdAt: Instant,
    createdBy: Type.String(),
    disabledAt: Nullable(Instant),
    lastDelivery: Nullable(
      Type.Object({
        at: Instant,
        status: Nullable(
          Type.Integer({ description: 'The status of the response; null where there was none.' }),
        ),
        error: Nullable(Type.String({ description: 'What was wrong; null: it was delivered.' })),
      }),
    ),
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

/** With the secret for signatures, which is shown this once. */
export const CreatedWebhook = Type.Object(
  { ...Webhook.properties, secret: Type.String({ description: '`whsec_` and base64.' }) },
  { $id: 'CreatedWebhook' },
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;
