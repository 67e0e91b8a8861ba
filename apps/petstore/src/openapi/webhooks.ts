import type { OpenAPIV3_1 } from 'openapi-types';
import { EVENT_TYPES, type EventType } from '../events/event.ts';

const header = (name: string, description: string, example: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' as const, examples: [example] },
});

/** The headers of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'The same at each attempt.', 'wh_0123456789abcdef.42'),
  header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1795262400'),
  header(
    'webhook-signature',
    'Signatures with spaces between them; one by the secret is enough.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const WORDS: Readonly<Record<EventType, string>> = {
  'pet.created': 'An animal was added',
  'pet.updated': 'An animal was changed',
  'pet.deleted': 'An animal was removed',
  'order.placed': 'An order was placed',
  'order.completed': 'An order was completed',
  'order.cancelled': 'An order was cancelled',
};

const AT = '2026-11-21T12:00:00.000Z';
const PET = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
const ORDER = { id: 1, petId: 1, status: 'placed', placedAt: AT, updatedAt: AT };

interface WebhooksOfDocument {
  readonly webhooks: OpenAPIV3_1.Document['webhooks'] & object;
  /** For the document's components. */
  readonly pathItems: Record<string, OpenAPIV3_1.PathItemObject>;
}

/**
 * What the service sends to webhooks, in the form of OpenAPI 3.1: references to path items in the components.
 * openapi-generator leaves references alone, but takes what stands in `webhooks` itself for operations of the service,
 * and its code for them does not compile. The bodies have no names: oapi-codegen leaves out named schemas that only
 * webhooks refer to, and still uses them.
 */
export function webhooksOfDocument(): WebhooksOfDocument {
  const all = EVENT_TYPES.map((type) => ({ type, name: nameOf(type) }));
  const pathItems = Object.fromEntries(all.map(({ type, name }) => [name, { post: sent(type) }]));
  return {
    webhooks: Object.fromEntries(
      all.map(({ type, name }) => [type, { $ref: `#/components/pathItems/${name}` }]),
    ),
    // The library's types of 3.1 extend those of 3.0, which know fewer schemas.
    pathItems: pathItems as WebhooksOfDocument['pathItems'],
  };
}

function sent(type: EventType): object {
  const [kind, status] = type.split('.');
  const isOrder = kind === 'order';
  const data = isOrder ? { ...ORDER, status } : PET;
  return {
    operationId: `on${nameOf(type)}`,
    summary: WORDS[type],
    description:
      'Sent to each webhook that asked for it, signed as Standard Webhooks say. Answer with a 2xx within ten seconds.',
    tags: ['webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Event' },
              {
                type: 'object',
                properties: {
                  type: { const: type },
                  data: { $ref: `#/components/schemas/${isOrder ? 'Order' : 'Pet'}` },
                },
              },
            ],
          } as OpenAPIV3_1.SchemaObject,
          example: { id: '42', type, createdAt: AT, data },
        },
      },
    },
    responses: {
      '2XX': { description: 'It was taken.' },
      410: { description: 'The receiver is gone for good: the webhook is disabled.' },
      default: { description: 'It is tried again, with growing waits.' },
    },
  };
}

/** `PetCreated` for `pet.created`. */
function nameOf(type: EventType): string {
  return type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
