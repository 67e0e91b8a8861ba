import type { FastifyPluginCallback } from 'fastify';
import type { Readiness } from './readiness.ts';

/** The checks of the store behind each path. Balancers may go on sending reads where writes fail now. */
const READY = {
  '/readyz': ['reads', 'writes'],
  '/readyz/reads': ['reads'],
  '/readyz/writes': ['writes'],
} as const;

/** For supervisors and load balancers: does the process live, and can it serve? No key, no data. */
export const healthRoutes: FastifyPluginCallback<{ readiness: Readiness }> = (
  app,
  { readiness },
  done,
) => {
  app.get('/livez', { schema: { hide: true } }, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ status: 'ok' });
  });

  for (const [path, parts] of Object.entries(READY)) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const report = await readiness.report(parts);
      reply.code(report.status === 'ok' ? 200 : 503).header('cache-control', 'no-store');
      return report;
    });
  }

  done();
};
