import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Int64, named, OneOf, Ref } from '../schema-types.ts';

/** What an order is. It holds an animal for a buyer until it is completed or cancelled. */

const ORDER_STATUSES = ['placed', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const OrderStatus = named(
  'OrderStatus',
  OneOf(ORDER_STATUSES, { description: 'How far an order is; a placed one is open.' }),
);

const id = Int64({ description: 'Unique identifier of the order.', examples: [1n] });
const petId = Int64({ description: 'Id of the animal.', examples: [1n] });

const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} RFC 3339, in UTC, with milliseconds.`,
    examples: ['2026-11-21T12:00:00.000Z'],
  });

export type OrderInput = Static<typeof OrderInput>;
export const OrderInput = named(
  'OrderInput',
  Type.Object(
    { petId },
    { description: 'An order to place. Members that are not listed here are ignored.' },
  ),
);

export const Order = named(
  'Order',
  Type.Object(
    {
      id,
      petId,
      status: Ref(OrderStatus),
      placedAt: Time('When it was placed.'),
      updatedAt: Time('When its status was last set.'),
    },
    { description: 'An order for an animal.' },
  ),
);

export const Orders = named(
  'Orders',
  Type.Array(Ref(Order), {
    maxItems: 100,
    description: 'A page of orders in ascending order of id.',
  }),
);

/** In the order of the document. */
export const ORDER_SCHEMAS = [OrderStatus, OrderInput, Order, Orders];

/** An order as the stores hold it. */
export interface StoredOrder {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly placedAt: Date;
  readonly updatedAt: Date;
}
