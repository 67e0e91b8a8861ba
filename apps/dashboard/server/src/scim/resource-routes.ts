import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../is-record.ts';
import { type ListQuery, listResponse, readListQuery } from './list.ts';
import { applyPatch } from './patch.ts';
import { project, readProjection } from './projection.ts';
import { type Resource, readResource } from './resource.ts';
import type { ResourceType } from './schema.ts';
import { badRequest } from './scim-error.ts';
import type { Change } from './users/users.ts';
import { hasTag } from './versions.ts';

/** What can be done with a kind of resources. */
export interface Resources {
  readonly type: ResourceType;
  list(query: ListQuery): Promise<{ resources: Resource[]; total: number }>;
  read(id: string): Promise<Resource>;
  /** Makes a resource and returns its id. */
  create(resource: Resource, change: Change): Promise<string>;
  /** Changes a resource; `apply` makes the new attributes of the old ones. */
  change(id: string, apply: (before: Resource) => Resource, change: Change): Promise<void>;
  remove(id: string, change: Change): Promise<void>;
}

/** The routes of a kind of resources (RFC 7644, section 3). */
export function routeResources(app: FastifyInstance, resources: Resources): void {
  const { type } = resources;
  const path = type.endpoint;

  const send = async (request: FastifyRequest, reply: FastifyReply, id: string) => {
    const resource = await resources.read(id);
    const { version, location } = resource.meta as { version: string; location: string };
    reply.headers({ etag: version, location });
    const known = request.headers['if-none-match'];
    if (request.method === 'GET' && known !== undefined && hasTag(known, version)) {
      return reply.code(304).send();
    }
    return project(resource, readProjection(request.query as Resource));
  };
  const search = async (input: Resource) => {
    const query = readListQuery(input);
    const found = await resources.list(query);
    return listResponse(found.resources, found.total, query);
  };

  app.get(path, (request) => search(request.query as Resource));
  app.post(`${path}/.search`, (request) => {
    if (!isRecord(request.body)) throw badRequest('invalidSyntax', 'The body must be an object.');
    return search(request.body);
  });
  app.post(path, async (request, reply) => {
    const id = await resources.create(readResource(type, request.body), changeOf(request));
    reply.code(201);
    return send(request, reply, id);
  });
  app.get(`${path}/:id`, (request, reply) => send(request, reply, idOf(request)));
  app.put(`${path}/:id`, async (request, reply) => {
    const next = replacing(readResource(type, request.body), request.body as Resource);
    await resources.change(idOf(request), next, changeOf(request));
    return send(request, reply, idOf(request));
  });
  app.patch(`${path}/:id`, async (request, reply) => {
    const { body } = request;
    await resources.change(
      idOf(request),
      (before) => applyPatch(type, before, body),
      changeOf(request),
    );
    return send(request, reply, idOf(request));
  });
  app.delete(`${path}/:id`, async (request, reply) => {
    await resources.remove(idOf(request), changeOf(request));
    return reply.code(204).removeHeader('content-type').send();
  });
}

/**
 * Replaces a whole resource. Attributes `active` and `members` that the body omits keep their values: only an explicit
 * value disables an account or empties a group.
 */
function replacing(next: Resource, body: Resource): (before: Resource) => Resource {
  const said = new Set(Object.keys(body).map((key) => key.toLowerCase()));
  return (before) => ({
    ...Object.fromEntries(
      Object.entries(before).filter(
        ([key]) => ['active', 'members'].includes(key) && !said.has(key),
      ),
    ),
    ...next,
  });
}

const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id;

function changeOf({ directory, headers }: FastifyRequest): Change {
  if (!directory) throw new Error('the route asks for no token');
  return { actor: directory, ifMatch: headers['if-match'] };
}
