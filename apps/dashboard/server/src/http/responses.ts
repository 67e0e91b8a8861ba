import type { TSchema } from 'typebox';
import { PageOf, ref } from '../schema-types.ts';

/**
 * The error responses of every operation. They are in the document alone: serializers for them would take most of the
 * time of a start.
 */
export const ERROR_RESPONSES = {
  '4xx': { $ref: 'Error', description: 'What was wrong, and what would be right.' },
  '5xx': { $ref: 'Error', description: 'The service failed, or cannot do this now.' },
} as const;

const described = (schema: TSchema, description: string) => ({ ...schema, description });

export function jsonResponse<T extends TSchema>(status: number, schema: T, description = 'Done.') {
  return { [status]: described(ref(schema), description) };
}

export function pageResponse<T extends TSchema>(schema: T) {
  return { 200: described(PageOf(ref(schema)), 'A page of the list.') };
}

export const NO_CONTENT = { 204: { type: 'null', description: 'Done.' } } as const;
