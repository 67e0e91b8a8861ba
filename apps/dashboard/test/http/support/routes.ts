import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/** The routes of each service that starts from here on, as `GET /api/projects/:slug`, once it has started. */
export function collectRoutes(): () => string[] {
  const routes: string[] = [];
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    routes.length = 0;
    fastify.addHook('onRoute', ({ method, url }) => {
      const methods = [method].flat();
      // What refuses all other methods of a path is one route for all of them.
      const isRefusal = methods.includes('TRACE');
      routes.push(...(isRefusal ? [`* ${url}`] : methods.map((each) => `${each} ${url}`)));
    });
  });
  return () => [...routes];
}
