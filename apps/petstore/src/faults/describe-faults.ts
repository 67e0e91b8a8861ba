import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { MAX_FIELD_LENGTH } from './fault-field.ts';
import { FAULTS_MARK } from './faults.ts';

/** The header of a request, as the document describes it. */
const FaultHeader = Type.Optional(
  Type.String({
    maxLength: MAX_FIELD_LENGTH,
    description:
      'What is to go wrong with this request, for the keys of sandboxes alone: a Dictionary of RFC 9651, such as ' +
      '`status=503;rate=0.5;seed=7`. There are `latency`, `status`, `reset`, `cut`, `slow`, `length`, `duplicate`, ' +
      '`malformed`, `type`, `drift`, `big-ids`, `stale`, `clock` and `events`. With any other key it is a 400. Every response in ' +
      'which something was done, errors included, has `Petstore-Fault-Applied`.',
    'x-stability': FAULTS_MARK,
  }),
);

/** The header of a response. */
const APPLIED = {
  description:
    'The faults in this response, in the form of `Petstore-Fault`; only with the key of a sandbox.',
  type: 'string',
  examples: ['latency=800;when=before'],
};

/**
 * Adds the headers of faults to an operation that can have some. Errors may have the header of the response as well; there
 * it is left out, so that all operations share their errors.
 */
export function describeFaults(
  schema: FastifySchema,
  { scope, takesNoFaults }: FastifyContextConfig,
): FastifySchema {
  if (scope === undefined || takesNoFaults) return schema;
  const { properties = {} } = (schema.headers ?? {}) as { properties?: object };
  const response = Object.fromEntries(
    Object.entries(schema.response as Record<string, { headers?: object }>).map(
      ([status, response]) => [
        status,
        Number(status) < 400
          ? { ...response, headers: { ...response.headers, 'Petstore-Fault-Applied': APPLIED } }
          : response,
      ],
    ),
  );
  return {
    ...schema,
    headers: Type.Object({ ...properties, 'Petstore-Fault': FaultHeader }),
    response,
  };
}
