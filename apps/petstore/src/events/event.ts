import { Type } from '@petstore/service/schema-builders.ts';
import { Order } from '../orders/order.ts';
import { Pet } from '../pets/pet.ts';
import { named, OneOf, Ref } from '../schema-types.ts';

/** What events there are. Those of animals have the animal as their data, those of orders the order. */
export const EVENT_TYPES = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.placed',
  'order.completed',
  'order.cancelled',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const EventTypeSchema = named(
  'EventType',
  OneOf(EVENT_TYPES, {
    description: 'What happened. More may come: pass over one that you do not know.',
  }),
);

const Event = named(
  'Event',
  Type.Object(
    {
      id: Type.String({
        description:
          'Where the event stands in the log: a decimal number that grows. Send the last one that you have to go on ' +
          'after it.',
        examples: ['42'],
      }),
      type: Ref(EventTypeSchema),
      createdAt: Type.String({
        format: 'date-time',
        description: 'When the change was stored. RFC 3339, in UTC, with milliseconds.',
        examples: ['2026-11-21T12:00:00.000Z'],
      }),
      data: Type.Unsafe<unknown>({
        anyOf: [Ref(Pet), Ref(Order)],
        description:
          'The animal or the order as it was after the change; a deleted animal as it was last. The type says which.',
      }),
    },
    { description: 'Something that happened to an animal or an order.' },
  ),
);

export const Events = named(
  'Events',
  Type.Array(Ref(Event), {
    maxItems: 100,
    description: 'Events in the order in which they happened.',
  }),
);

/** In the order of the document. */
export const EVENT_SCHEMAS = [EventTypeSchema, Event, Events];

/** Something that happened to an animal or an order. */
export interface StoredEvent {
  /** 1 for the first event of its store, one more for each that follows. A restore makes it leap. */
  readonly id: bigint;
  readonly type: EventType;
  /** When it was committed, in milliseconds since 1970. */
  readonly at: number;
  /** The animal or order after the change, as JSON text; a deleted one as it was last. */
  readonly data: string;
}

/** An Event as JSON text. */
export function eventJson({ id, type, at, data }: StoredEvent): string {
  return `{"id":"${id}","type":"${type}","createdAt":"${new Date(at).toISOString()}","data":${data}}`;
}

/** The id of the animal that an event is about; that of an order is about its animal. */
export function animalOf({ type, data }: StoredEvent): string {
  const member = type.startsWith('order.') ? /"petId":(-?\d+)/ : /"id":(-?\d+)/;
  const id = member.exec(data)?.[1];
  if (id === undefined) throw new Error(`an event of ${type} names no animal`);
  return id;
}
