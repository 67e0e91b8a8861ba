import type { FastifyRequest } from 'fastify';
import { forbidden } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { isFromThisMachine } from '../http/own-name.ts';
import { signUpMode } from './accounts.ts';

type SignUpDeps = Pick<Deps, 'db' | 'now' | 'config' | 'passwordCost'>;

/**
 * How whoever sends a request can sign up. At a name that the world sees as soon as it has a certificate, a stranger could
 * be the first, and own the installation.
 */
export async function offeredSignUp(
  deps: SignUpDeps,
  request: FastifyRequest,
): Promise<'first' | 'on_server' | 'invitation' | 'open'> {
  const mode = await signUpMode(deps);
  const isStranger = deps.config.domain !== undefined && !isFromThisMachine(request);
  return mode === 'first' && isStranger ? 'on_server' : mode;
}

/** Throws ApiError `forbidden` where the request cannot make the first account. */
export async function checkFirstAccount(deps: SignUpDeps, request: FastifyRequest): Promise<void> {
  if ((await offeredSignUp(deps, request)) !== 'on_server') return;
  throw forbidden(
    `The first account, which owns the installation, is made on the server itself: at http://127.0.0.1:${deps.config.port}/sign-up, or with "dashboard users create".`,
  );
}
