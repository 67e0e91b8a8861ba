import { hash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyPluginCallback } from 'fastify';
import type { Exposition } from './exposition.ts';
import type { Metrics } from './instruments.ts';

interface MetricsDeps {
  readonly metrics: Metrics;
  /** What whoever reads them has to send as a bearer token; undefined lets everyone. */
  readonly token: string | undefined;
  /** Writes the metrics of all processes that serve this port, where it is not this one alone. */
  readonly ofAll: Exposition | undefined;
}

/** `GET /metrics`, for Prometheus: what the service counts, and nothing of what is stored. */
export const metricsRoutes: FastifyPluginCallback<MetricsDeps> = (
  app,
  { metrics, token, ofAll },
  done,
) => {
  // What writes the text is a tenth of the program, and not all have it read. What it tells of the process itself
  // (garbage, event loop, processor time) counts from the first time on.
  let loading: Promise<Exposition> | undefined;
  const load = () => {
    loading ??= import('./exposition.ts').then(({ exposition }) => exposition(metrics));
    return loading;
  };
  // Digests have one length and tell nothing by how long it takes to compare them.
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const { authorization = '' } = request.headers;
    if (expected && !timingSafeEqual(digest(authorization), expected)) {
      const message = 'Send Authorization: Bearer <PETSTORE_METRICS_TOKEN>.';
      const headers = { 'www-authenticate': 'Bearer' };
      throw new ApiError('unauthorized', message, { headers });
    }
    const { contentType, write } = ofAll ?? (await load());
    return reply
      .header('content-type', contentType)
      .header('cache-control', 'no-store')
      .send(await write());
  });
  done();
};
