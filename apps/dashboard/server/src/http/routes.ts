import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifySchema } from 'fastify';
import type { Deps } from '../deps.ts';
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

/** The parameters of a project's path, and of a path below it. */
export const SlugParams = Type.Object({ slug: Type.String() });
export const ItemParams = Type.Object({ ...SlugParams.properties, id: Type.String() });
