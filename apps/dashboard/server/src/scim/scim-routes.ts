import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../http/client-address.ts';
import { isRecord } from '../is-record.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { groupResourceRoutes } from './groups/group-resource-routes.ts';
import { listGroups } from './groups/list-groups.ts';
import { listResponse, readListQuery } from './list.ts';
import { badRequest, noResource, ofApiError, ScimError } from './scim-error.ts';
import { directoryOfToken } from './tokens.ts';
import { listUsers } from './users/list-users.ts';
import { userResourceRoutes } from './users/user-resource-routes.ts';

/** A group of thousands comes in one body. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const MEDIA_TYPE = 'application/scim+json; charset=utf-8';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of SCIM: what anybody may read. */
    isDiscovery?: true;
  }
  interface FastifyRequest {
    /** The directory that asks by SCIM; null elsewhere. */
    directory: Actor | null;
  }
}

interface ScimOptions {
  readonly deps: Deps;
  /** The handler of the rest of the program, for what is no error of SCIM's. */
  readonly onError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) below its prefix: a company's directory keeps accounts and groups in step. A provisioning
 * token is asked for, and neither sessions nor API tokens count; what it can do is for anybody to read.
 */
export const scimRoutes: FastifyPluginAsync<ScimOptions> = async (app, { deps, onError }) => {
  const address = () => `${deps.addresses().dashboard}/scim/v2`;
  app.decorateRequest('directory', null);
  app.addContentTypeParser(
    'application/scim+json',
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    (request, body, done) => {
      if (body === '') done(null, undefined);
      else app.getDefaultJsonParser('remove', 'remove')(request, `${body}`, done);
    },
  );
  app.addHook('onRoute', (route) => {
    route.bodyLimit = MAX_BODY_BYTES;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('content-type', MEDIA_TYPE);
    if (request.routeOptions.config.isDiscovery) return;
    request.directory = await directoryOf(request, deps);
  });
  // A body may take minutes to arrive, and the token may have been revoked meanwhile.
  app.addHook('preHandler', async (request) => {
    if (request.directory && request.body !== undefined)
      request.directory = await directoryOf(request, deps);
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, onError));

  const discovery = { config: { isDiscovery: true } } as const;
  const single = (path: string, list: (address: string) => { id?: string; name?: string }[]) => {
    app.get(path, discovery, async (request) => {
      refuseFilter(request);
      const all = list(address());
      return listResponse(all as Record<string, unknown>[], all.length, { startIndex: 1 });
    });
    app.get(`${path}/:id`, discovery, async (request) => {
      const { id } = request.params as { id: string };
      const found = list(address()).find((each) => each.id === id);
      if (!found) throw noResource('such thing', id);
      return found;
    });
  };
  app.get('/ServiceProviderConfig', discovery, async (request) => {
    refuseFilter(request);
    return serviceProviderConfig(address());
  });
  single('/ResourceTypes', resourceTypes);
  single('/Schemas', schemas);

  await app.register(userResourceRoutes, { deps, address });
  await app.register(groupResourceRoutes, { deps, address });

  // Users and groups together; which page of them is asked for, is known when both were found.
  app.post('/.search', async (request) => {
    if (!isRecord(request.body)) throw badRequest('invalidSyntax', 'The body must be an object.');
    const query = readListQuery(request.body);
    const whole = { ...query, startIndex: 1, count: Number.MAX_SAFE_INTEGER };
    const found = [];
    for (const list of [listUsers, listGroups]) {
      try {
        found.push(...(await list(deps, whole, address())).resources);
      } catch (error) {
        // A filter may name what one kind alone has.
        const isOther = error instanceof ScimError && error.scimType === 'invalidFilter';
        if (!isOther || (list === listGroups && found.length === 0)) throw error;
      }
    }
    const from = query.startIndex - 1;
    return listResponse(found.slice(from, from + query.count), found.length, query);
  });

  const unsupported = (what: string) => () => {
    throw new ScimError(501, `${what} is not supported here.`);
  };
  app.post('/Bulk', unsupported('Bulk'));
  app.all('/Me', unsupported('/Me'));
  app.all('/*', ({ method, url }) => {
    throw new ScimError(404, `SCIM has nothing at ${method} ${url.split('?')[0]}.`);
  });
};

/** The directory by its token. Throws ScimError without a valid one. */
async function directoryOf(request: FastifyRequest, deps: Deps): Promise<Actor> {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const directory = token && (await directoryOfToken(deps, token, clientAddress(request)));
  if (directory) return directory;
  throw new ScimError(
    401,
    'A provisioning token is needed: Authorization: Bearer scim_…. Make one on Installation, Groups, or by `dashboard scim create-token`.',
    { headers: { 'www-authenticate': 'Bearer' } },
  );
}

/** The kinds themselves cannot be filtered (RFC 7644, section 4). */
function refuseFilter({ query }: FastifyRequest): void {
  if ((query as { filter?: unknown }).filter === undefined) return;
  throw new ScimError(403, 'This list takes no filter.');
}

function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  onError: ScimOptions['onError'],
): void {
  const error = thrown instanceof ApiError ? ofApiError(thrown) : ofFramework(thrown, request);
  if (!error) {
    onError(thrown, request, reply);
    return;
  }
  reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .header('content-type', MEDIA_TYPE)
    .send(error.body);
}

function ofFramework(thrown: unknown, request: FastifyRequest): ScimError | undefined {
  if (thrown instanceof ScimError) return thrown;
  switch ((thrown as FastifyError).code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return badRequest('invalidSyntax', 'The body is not valid JSON.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ScimError(
        413,
        `The body must be at most ${request.routeOptions.bodyLimit.toLocaleString('en')} bytes long.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ScimError(
        415,
        'The body must be JSON: send it with Content-Type: application/scim+json.',
      );
    default:
      return undefined;
  }
}
