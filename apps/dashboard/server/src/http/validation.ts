import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

/** One sentence for all that a schema finds wrong: which field, and what it must be. */
export function validationMessage(errors: FastifySchemaValidationError[], part: string): Error {
  const said = new Set(errors.map((error) => sentence(error, part)));
  return new Error(`${[...said].join('; ')}.`);
}

function sentence(
  { keyword, instancePath, params, message }: FastifySchemaValidationError,
  part: string,
): string {
  const field = instancePath.slice(1).replaceAll('/', '.');
  const name = field || (part === 'body' ? 'The body' : part);
  switch (keyword) {
    case 'required': {
      const missing = String(params.missingProperty);
      return `${field ? `${field}.` : ''}${missing} is required`;
    }
    case 'type':
      return `${name} must be ${WORDS[String(params.type)] ?? params.type}`;
    case 'minLength':
      return `${name} must not be ${params.limit === 1 ? 'empty' : `shorter than ${params.limit} characters`}`;
    case 'maxLength':
      return `${name} must be at most ${params.limit} characters long`;
    case 'anyOf':
      return `${name} must be one of the values that /api/openapi.json lists`;
    case 'const':
      return `${name} must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return `${name} ${message ?? 'is not valid'}`;
  }
}

const WORDS: Record<string, string> = {
  string: 'text',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
  null: 'null',
};
