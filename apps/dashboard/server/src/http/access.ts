import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, type Caller, mayDo, roleOf } from '../accounts/caller.ts';
import { PERMISSIONS, type Permission } from '../accounts/permissions.ts';
import { callerOfSession } from '../accounts/sessions.ts';
import { callerOfToken } from '../accounts/tokens.ts';
import { ApiError, absent, forbidden, nothingHere } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { findProject } from '../store/projects.ts';
import { refuseForeignOrigin } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';

/**
 * Who may call a route: anyone; whoever has an account; the same, but not with a token for one project;
 * the same in a browser, without a token; the installation's owner; or whoever has a permission in the
 * project that the path names.
 */
export type RouteAccess =
  | 'public'
  | 'account'
  | 'all-projects'
  | 'session'
  | 'installation'
  | Permission;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** Beside a permission: not with a token, which would outlive its end in what it makes. */
    isForSessions?: true;
    /** Beside a permission: every member may do it to themselves, the user whom the path names. */
    orToOneself?: true;
  }
  interface FastifyRequest {
    /** Set where the route is not public. */
    caller: Caller | null;
    /** Set where the route asks for a permission in a project. */
    access: Access | null;
  }
}

/** The one place that decides who may call what. A route that does not say is a defect of the program. */
export function guardRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'now' | 'addresses'>,
): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('access', null);
  app.addHook('onRoute', ({ url, config }) => {
    if (url.startsWith('/api') && !config?.access)
      throw new Error(`${url} does not say who may call it`);
  });
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config;
    if (!access || request.is404) return;
    // No name has it, and PostgreSQL takes no text that does.
    if (Object.values(request.params as object).some((value) => `${value}`.includes('\0'))) {
      throw nothingHere();
    }
    if (access === 'public')
      return refuseForeignOrigin(request, deps.addresses().dashboard, { isStrict: false });
    request.caller = await authenticate(request, deps);
    if (request.caller.sessionId !== undefined) {
      refuseForeignOrigin(request, deps.addresses().dashboard, { isStrict: true });
    }
    await authorize(request, request.caller, access, deps);
  });
}

/** Who makes the request, by token or cookie. Throws ApiError `unauthorized` where nobody is known. */
async function authenticate(
  request: FastifyRequest,
  deps: Pick<Deps, 'db' | 'now'>,
): Promise<Caller> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    const caller = token && (await callerOfToken(deps, token, request.ip));
    if (!caller)
      throw unauthorized(
        'The API token is not valid: it was never made, was revoked, or has expired.',
      );
    return caller;
  }
  const caller = await sessionCallerOf(request, deps);
  if (!caller)
    throw unauthorized('Sign in first, or send an API token: Authorization: Bearer TOKEN.');
  return caller;
}

/** Who makes the request by the cookie of a session; undefined where nobody is signed in. */
export async function sessionCallerOf(
  request: FastifyRequest,
  deps: Pick<Deps, 'db' | 'now'>,
): Promise<Caller | undefined> {
  const secret = sessionCookie(request);
  return secret ? callerOfSession(deps, secret, request.ip) : undefined;
}

async function authorize(
  request: FastifyRequest,
  caller: Caller,
  access: Exclude<RouteAccess, 'public'>,
  { db }: Pick<Deps, 'db'>,
): Promise<void> {
  const { isForSessions, orToOneself } = request.routeOptions.config;
  if (access === 'account') return;
  if (access === 'all-projects') {
    if (caller.onlyProject === null) return;
    throw forbidden('This token is good for one project alone.');
  }
  if (access === 'session') return refuseToken(caller);
  if (access === 'installation') {
    if (caller.user.role === 'owner' && caller.onlyProject === null) return;
    throw forbidden("Only the installation's owner may do this.");
  }
  const { slug, userId } = request.params as { slug: string; userId?: string };
  const found = await findProject(db, slug, caller.user.id);
  const role = found && roleOf(caller, found.project, found.role);
  if (!found || !role) throw absent('project');
  request.access = { project: found.project, role };
  const isAboutOneself = orToOneself === true && userId === caller.user.id;
  if (!isAboutOneself && !mayDo(request.access, access)) {
    const allowed = PERMISSIONS[access].join(' or ');
    throw forbidden(`Your role in this project is ${role}; this needs ${allowed}.`);
  }
  if (isForSessions) refuseToken(caller);
}

function refuseToken({ sessionId }: Caller): void {
  if (sessionId === undefined) {
    throw forbidden('An API token cannot do this; sign in to the dashboard.');
  }
}

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** Who calls a route that is not public. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the route is public');
  return request.caller;
}

/** The project of a route that asks for a permission in one. */
export function accessOf(request: FastifyRequest): Access {
  if (!request.access) throw new Error('the route asks for no permission in a project');
  return request.access;
}
