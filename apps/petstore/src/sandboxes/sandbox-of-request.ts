import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { SandboxRef } from '../keys/key.ts';

/** The message of a request whose key is not that of a sandbox. */
export const NO_SANDBOX = 'This API key is not that of a sandbox. POST /v1/sandboxes makes one.';

/** The sandbox of the request's key. Throws ApiError `not_found` where the key is not that of a sandbox. */
export function sandboxOfRequest({ apiKey }: FastifyRequest): SandboxRef {
  if (apiKey.sandbox) return apiKey.sandbox;
  throw new ApiError('not_found', NO_SANDBOX);
}
