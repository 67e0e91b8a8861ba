import { ApiError } from '@petstore/http/errors.ts';
import {
  hasTwoContentTypes,
  headProblem,
  isFramedUnusually,
  TWO_CONTENT_TYPES,
} from '@petstore/http/request-head.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../api-error.ts';

/**
 * Throws ApiError for a request whose framing is ambiguous, whose Host is invalid, or that has two Content-Types.
 */
export function checkRequestHead({ raw, originalUrl }: FastifyRequest, reply: FastifyReply): void {
  if (isFramedUnusually(raw)) reply.raw.shouldKeepAlive = false;
  const problem = headProblem(raw, originalUrl);
  if (problem?.status === 501) throw new ApiError('not_implemented', problem.message);
  if (problem) throw invalid(problem.message);
  if (hasTwoContentTypes(raw)) throw invalid(TWO_CONTENT_TYPES);
}
