import type { FastifyContextConfig } from 'fastify';
import type { ActiveKey } from '../../keys/key.ts';
import type { ServiceResponse } from '../service-response.ts';

/** A request that came with an active key, to a route that takes one. */
export interface KeyedRequest {
  readonly key: ActiveKey;
  /** The route's: its scope, its deprecation. */
  readonly config: FastifyContextConfig;
  readonly response: ServiceResponse;
}

/**
 * One check of every such request. Throws, or rejects with, the ApiError of a request that does not pass. It returns a
 * promise only where the database has to be asked.
 */
export type Check = (request: KeyedRequest) => void | Promise<void>;
