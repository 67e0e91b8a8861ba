import type { FastifyPluginCallback } from 'fastify';
import type { Readiness } from './readiness.ts';

/** For supervisors and load balancers: does the process live, and can it serve? No key, no data. */
export const healthRoutes: FastifyPluginCallback<{ readiness: Readiness }> = (
  app,
  { readiness },
  done,
) => {
  app.get('/livez', { schema: { hide: true } }, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ status: 'ok' });
  });

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const report = await readiness.report();
    reply.code(report.status === 'ok' ? 200 : 503).header('cache-control', 'no-store');
    return report;
  });

  done();
};
