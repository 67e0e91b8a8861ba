import { type Exception, isCode } from '@petstore/changes/exceptions.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable } from '../../schema-types.ts';

const Until = Type.String({
  format: 'date',
  description: 'The last day on which it holds, in UTC.',
  examples: ['2026-12-31'],
});

const Code = { description: 'The code of the change.', examples: ['operation-removed'] };
const Operation = { description: 'The operation.', examples: ['GET /pets/{petId}'] };

/** `POST /api/projects/{slug}/change-exceptions` */
export const NewChangeException = Type.Object({
  code: Type.Optional(
    Type.String({ ...Code, description: `${Code.description} Without it: every change.` }),
  ),
  operation: Type.Optional(
    Type.String({
      ...Operation,
      description: `${Operation.description} Without it: every operation, and the document itself.`,
    }),
  ),
  reason: Type.String({ description: 'Why it may break clients.' }),
  until: Until,
});
export type NewChangeException = Static<typeof NewChangeException>;

/** A kind of change that an owner allows. */
export const ChangeException = Type.Object(
  {
    id: Type.String(),
    code: Nullable(
      Type.String({ ...Code, description: `${Code.description} null: every change.` }),
    ),
    operation: Nullable(
      Type.String({
        ...Operation,
        description: `${Operation.description} null: every operation, and the document itself.`,
      }),
    ),
    reason: Type.String(),
    until: Until,
    createdAt: Instant,
    createdBy: Type.String({ description: 'An e-mail address.' }),
  },
  { $id: 'ChangeException' },
);
export type ChangeException = Static<typeof ChangeException>;

/**
 * Exceptions as they apply to changes. Those with a code that this program does not know are left out: no change that it
 * finds has it.
 */
export const appliedExceptions = (
  list: readonly Pick<ChangeException, 'code' | 'operation' | 'reason' | 'until'>[],
): Exception[] =>
  list.flatMap(({ code, operation, reason, until }) =>
    code === null || isCode(code)
      ? [{ code: code ?? undefined, operation: operation ?? undefined, reason, until }]
      : [],
  );
