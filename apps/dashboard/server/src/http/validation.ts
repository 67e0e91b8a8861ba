import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

/**
 * One sentence about a validation error: which field, and what it must be. The validator stops at the first error, so
 * several errors are the alternatives of one: `expiresInDays must be an integer or null`.
 */
export function validationMessage(errors: FastifySchemaValidationError[], part: string): Error {
  const [first = '', ...others] = errors
    .filter(({ keyword }) => keyword !== 'anyOf')
    .map((error) => sentence(error, part));
  const ways = others.map((other) => ` or ${other.replace(/^.* must be /, '')}`);
  return new Error(`${first}${ways.join('')}.`);
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
    case 'enum':
      return `${name} must be one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'minimum':
      return `${name} must be at least ${params.limit}`;
    case 'maximum':
      return `${name} must be at most ${params.limit}`;
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
