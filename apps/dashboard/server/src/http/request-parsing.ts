import { ApiError } from '@petstore/http/errors.ts';
import {
  hasTwoContentTypes,
  headProblem,
  isFramedUnusually,
  TWO_CONTENT_TYPES,
} from '@petstore/http/request-head.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
