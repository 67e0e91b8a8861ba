import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import type { Deps } from '../deps.ts';
import { PageOf, ref } from '../schema-types.ts';
import type { RouteAccess } from './access.ts';

/** A plugin with the routes of a resource. */
export type Routes<Options extends object = object> = FastifyPluginAsyncTypebox<
  { deps: Deps } & Options
>;

/** The options of the routes under a tag of the document: who may call one, its name, its summary, its schemas. */
export function operationsOf(tag: string) {
  return <Schemas extends FastifySchema>(
    access: RouteAccess,
    operationId: string,
    summary: string,
    schemas: Schemas,
  ) => ({ config: { access }, schema: { tags: [tag], operationId, summary, ...schemas } });
}

/**
 * The same for a sensitive change: whoever has a session proves again who they are, unless they did so within the last
 * 15 minutes. Callers with an API token are not asked.
 */
export function requiresReauthentication<
  T extends { readonly config: { readonly access: RouteAccess } },
>(route: T): T {
  return { ...route, config: { ...route.config, requiresReauthentication: true } };
}

/** The parameters of a project's path, and of a path below it. */
export const SlugParams = Type.Object({ slug: Type.String() });
export const ItemParams = Type.Object({ ...SlugParams.properties, id: Type.String() });

/**
 * The error responses of every operation. They are in the document alone: serializers for them would take most of the
 * time of a start.
 */
export const ERROR_RESPONSES = {
  '4xx': { $ref: 'Error', description: 'What was wrong, and what would be right.' },
  '5xx': { $ref: 'Error', description: 'The service failed, or cannot do this now.' },
} as const;

/** The response of every operation that reads something of a project; it is in the document alone, too. */
export const MOVED_RESPONSE = {
  308: {
    type: 'null',
    description: 'The project has another slug by now: `Location` is the same path below that one.',
  },
} as const;

const described = (schema: TSchema, description: string) => ({ ...schema, description });

export function jsonResponse<T extends TSchema>(status: number, schema: T, description = 'Done.') {
  return { [status]: described(ref(schema), description) };
}

export function pageResponse<T extends TSchema>(schema: T) {
  return { 200: described(PageOf(ref(schema)), 'A page of the list.') };
}

export const NO_CONTENT = { 204: { type: 'null', description: 'Done.' } } as const;

/** Has routes answer with the one status of success that their schema names, such as 201 or 204. */
export function respondAsDeclared(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const declared = Object.keys(route.schema?.response ?? {}).filter((key) => /^2\d\d$/.test(key));
    if (declared.length !== 1) return;
    const status = Number(declared[0]);
    const before = [route.preHandler ?? []].flat();
    route.preHandler = [...before, async (_request, reply) => void reply.code(status)];
  });
}
