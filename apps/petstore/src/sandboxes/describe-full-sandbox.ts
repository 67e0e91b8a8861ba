import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type ResponseObject, withFailure } from '../openapi/responses.ts';
import { SANDBOX_FULL } from '../store/sandbox/sandbox-draft.ts';

/** Adds the 409 of a full sandbox to an operation that puts something into a store. */
export function describeFullSandbox(
  schema: FastifySchema,
  { scope, takesNoFaults }: FastifyContextConfig,
): FastifySchema {
  const isOfStore = scope === 'pets:write' || scope === 'orders:write';
  if (!schema.body || !isOfStore || takesNoFaults) return schema;
  const described = schema.response as Record<number, ResponseObject>;
  return { ...schema, response: withFailure(described, 'conflict', SANDBOX_FULL) };
}
