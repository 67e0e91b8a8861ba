import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type Access,
  accessTo,
  type Caller,
  checkPermission,
  checkScope,
} from '../accounts/caller.ts';
import { checkConfirmed } from '../accounts/factors/confirmation.ts';
import { PERMISSIONS, type Permission, type Scope } from '../accounts/permissions.ts';
import { callerOfSession } from '../accounts/sessions.ts';
import { callerOfToken } from '../accounts/tokens.ts';
import { forbidden, routeNotFound, unauthorized } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { findProject, findProjectForUser } from '../store/projects.ts';
import { findMoved } from '../store/reserved-labels.ts';
import { clientAddress } from './client-address.ts';
import { readSessionCookie } from './session-cookie.ts';

type AccessDeps = Pick<Deps, 'db' | 'now' | 'addresses' | 'config'>;

/**
 * Who may call a route: anyone; any user; any user, but not with a token for one project; any user in a browser,
 * without a token; the installation's owner; the same in a browser, without a token; or a user with a permission in the project of the path.
 */
export type RouteAccess = 'public' | keyof typeof SCOPE_BY_ACCESS | Permission;

/** The scope that a token needs where no permission names it; null: no token may. */
const SCOPE_BY_ACCESS = {
  account: 'read',
  'all-projects': 'projects',
  session: null,
  installation: 'installation',
  'installation-session': null,
} as const satisfies Record<string, Scope | null>;

/** The scope that a token needs to call a route; null: no token may. */
export function scopeOf(access: Exclude<RouteAccess, 'public'>): Scope | null {
  return isPermission(access) ? PERMISSIONS[access].scope : SCOPE_BY_ACCESS[access];
}

function isPermission(access: RouteAccess): access is Permission {
  return access in PERMISSIONS;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /** Besides a permission: every member may do it to themselves, as the user in the path. */
    allowsSelf?: true;
    /** A sensitive change: whoever has a session must have proved lately who they are. */
    requiresReauthentication?: true;
  }
  interface FastifyRequest {
    /** Set where the route is not public. */
    caller: Caller | null;
    /** Set where the route needs a permission in a project. */
    access: Access | null;
  }
}

/** The one place that decides who may call what. A route without `access` is a defect of the program. */
export function guardRoutes(app: FastifyInstance, deps: AccessDeps): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('access', null);
  app.addHook('onRoute', ({ url, config }) => {
    if (url.startsWith('/api') && !config?.access)
      throw new Error(`${url} does not say who may call it`);
  });
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (!access || request.is404) return;
    // No name contains a NUL, and PostgreSQL accepts no text with one.
    if (Object.values(request.params as object).some((value) => `${value}`.includes('\0'))) {
      throw routeNotFound();
    }
    if (access === 'public')
      return refuseCrossOrigin(request, deps.addresses().dashboard, { isStrict: false });
    request.caller = await authenticate(request, deps);
    if (request.caller.sessionId !== undefined) {
      refuseCrossOrigin(request, deps.addresses().dashboard, { isStrict: true });
    }
    try {
      await authorize(request, request.caller, access, deps);
    } catch (error) {
      const isMissing = error instanceof ApiError && error.code === 'not_found';
      const moved = isMissing && (await findMovedFor(request, request.caller, deps));
      if (!moved) throw error;
      return reply.redirect(moved, 308);
    }
    if (request.routeOptions.config.requiresReauthentication)
      checkConfirmed(request.caller, deps.now());
  });
  // A body may take minutes to arrive, and the permission may have ended meanwhile.
  app.addHook('preHandler', async (request) => {
    if (hasBody(request) && !request.is404) await reauthorize(request, deps);
  });
}

/** Whether a body is announced (RFC 9112, section 6). */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the caller still has the permission for the request, for responses that take long. */
export async function isStillAuthorized(
  request: FastifyRequest,
  deps: AccessDeps,
): Promise<boolean> {
  try {
    await reauthorize(request, deps);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Checks the caller's permission again, after work that took long. Throws ApiError where the permission has ended. */
export async function reauthorize(request: FastifyRequest, deps: AccessDeps): Promise<void> {
  const { access } = request.routeOptions.config;
  if (!access || access === 'public') return;
  request.caller = await authenticate(request, deps);
  await authorize(request, request.caller, access, deps);
}

/** The caller, by token or cookie. Throws ApiError `unauthorized` where there is none. */
async function authenticate(request: FastifyRequest, deps: AccessDeps): Promise<Caller> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    const caller = token && (await callerOfToken(deps, token, clientAddress(request)));
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

/** The caller by the cookie of a session; undefined where nobody is signed in. */
export async function sessionCallerOf(
  request: FastifyRequest,
  deps: AccessDeps,
): Promise<Caller | undefined> {
  const secret = readSessionCookie(request, deps.addresses());
  return secret ? callerOfSession(deps, secret, clientAddress(request)) : undefined;
}

/**
 * The URL to which a request is redirected that names a project by an earlier slug; undefined where the slug is not an
 * earlier one. Throws ApiError where the caller may not see the project, and for unsafe methods: a client that changes
 * something under an earlier slug may mean another project.
 */
async function findMovedFor(
  request: FastifyRequest,
  caller: Caller,
  { db, now }: AccessDeps,
): Promise<string | undefined> {
  const { slug } = request.params as { slug?: string };
  const moved = slug === undefined ? undefined : await findMoved(db, slug, now());
  if (!moved) return undefined;
  accessTo(caller, await findProjectForUser(db, moved.id, caller.user.id));
  if (!SAFE.has(request.method)) {
    throw new ApiError(
      'not_found',
      `There is no project ${slug} any more: it is ${moved.slug} now. Send the request with that slug.`,
    );
  }
  return request.url.replace(/^\/api\/projects\/[^/?]+/, `/api/projects/${moved.slug}`);
}

async function authorize(
  request: FastifyRequest,
  caller: Caller,
  access: Exclude<RouteAccess, 'public'>,
  { db }: Pick<Deps, 'db'>,
): Promise<void> {
  if (!isPermission(access)) {
    const { user, token } = caller;
    const isForAll = token === undefined || token.projectId === null;
    const isInstallation = access === 'installation' || access === 'installation-session';
    if (isInstallation && !(user.role === 'owner' && isForAll)) {
      throw forbidden("Only the installation's owner may do this.");
    }
    if (access === 'all-projects' && !isForAll) {
      throw forbidden('This token is for one project alone. Use a token for all projects.');
    }
    return checkScope(caller, scopeOf(access));
  }
  const { slug, userId } = request.params as { slug: string; userId?: string };
  // The second time, find the project by id: another one may have its slug by now.
  const found = request.access
    ? await findProjectForUser(db, request.access.project.id, caller.user.id)
    : await findProject(db, slug, caller.user.id);
  request.access = accessTo(caller, found);
  const { allowsSelf } = request.routeOptions.config;
  if (allowsSelf && userId === caller.user.id) return checkScope(caller, scopeOf(access));
  checkPermission(request.access, caller, access);
}

/** The caller of a route that is not public. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the route is public');
  return request.caller;
}

/** The project of a route that needs a permission in one. */
export function accessOf(request: FastifyRequest): Access {
  if (!request.access) throw new Error('the route asks for no permission in a project');
  return request.access;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The names of a machine for itself. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses unsafe requests from pages of other origins (CSRF). Browsers name the origin of a request in Sec-Fetch-Site
 * or, older ones, in Origin. `dashboard`: the dashboard's own origin. `isStrict`: a request with neither header is
 * refused too, since browsers always send one. Otherwise such a request passes, for programs that sign in.
 */
function refuseCrossOrigin(
  { method, headers, protocol, host }: FastifyRequest,
  dashboard: string,
  { isStrict }: { isStrict: boolean },
): void {
  if (SAFE.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    origin === undefined
      ? site === 'same-origin' || (site === undefined && !isStrict)
      : origin === dashboard ||
        (origin === `${protocol}://${host}` && isReachableAs(host, dashboard));
  if (!isOwn) {
    throw forbidden(
      "This request comes from a page of another origin. Programs use an API token instead. If it is the dashboard's own page, DASHBOARD_PUBLIC_URL must be the address that the browser shows.",
    );
  }
}

/**
 * Whether a visitor can have reached the dashboard under the host of the request. A dashboard on loopback is reached by
 * a loopback name. Any other name belongs to a foreign page that was made to resolve to this machine (DNS rebinding).
 */
function isReachableAs(host: string, dashboard: string): boolean {
  const isForItself = LOOPBACK.test(new URL(dashboard).hostname);
  return !isForItself || LOOPBACK.test(host.replace(/:\d+$/, ''));
}
