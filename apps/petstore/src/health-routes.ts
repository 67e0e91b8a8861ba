import type { FastifyPluginCallback } from 'fastify';
import type { Store } from './store/store.ts';

/** For supervisors and load balancers: does the process live, and can it serve? No key, no data. */
export const healthRoutes: FastifyPluginCallback<{ store: Store }> = (app, { store }, done) => {
  app.get('/livez', { schema: { hide: true } }, (_request, reply) => {
    reply.send({ status: 'ok' });
  });

  // A store that is away rejects, which is a 503 as anywhere else.
  app.get('/readyz', { schema: { hide: true } }, async () => {
    await store.ping();
    return { status: 'ok' };
  });

  done();
};
