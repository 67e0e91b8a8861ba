import { ApiError } from '@petstore/http/errors.ts';
import {
  hasTwoContentTypes,
  headProblem,
  isFramedUnusually,
  TWO_CONTENT_TYPES,
} from '@petstore/http/request-head.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { invalidRequest } from '../api-error.ts';

/**
 * Accepts JSON bodies alone. An empty one counts as none: some clients send a Content-Type with every DELETE.
 * `__proto__` is ignored like any field that no schema has.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, `${body}`, done);
  });
}

/** The integer parameters. Anything but a canonical decimal stays text, which the schema refuses. */
const NAMES = ['limit'];

/** Query values arrive as text, but schemas are strict, so this parses the integers among them. */
export async function parseQueryIntegers(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of NAMES) {
    const value = query[name];
    if (typeof value === 'string' && /^(0|[1-9][0-9]{0,8})$/.test(value))
      query[name] = Number(value);
  }
}

/**
 * Throws ApiError for a request whose framing is ambiguous, whose Host is invalid, or that has two Content-Types.
 */
export function checkRequestHead({ raw, originalUrl }: FastifyRequest, reply: FastifyReply): void {
  if (isFramedUnusually(raw)) reply.raw.shouldKeepAlive = false;
  const problem = headProblem(raw, originalUrl);
  if (problem?.status === 501) throw new ApiError('not_implemented', problem.message);
  if (problem) throw invalidRequest(problem.message);
  if (hasTwoContentTypes(raw)) throw invalidRequest(TWO_CONTENT_TYPES);
}

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
