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

/** Something that happened to an animal or an order. */
export interface StoredEvent {
  /** 1 for the first event of its store, one more for each that follows. */
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
