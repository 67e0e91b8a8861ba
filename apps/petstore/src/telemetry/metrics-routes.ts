import { hash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@petstore/http/errors.ts';
import type { Exposition } from '@petstore/service/metrics/exposition.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { FastifyPluginCallback } from 'fastify';

interface MetricsDeps {
  readonly metrics: Metrics;
  /** The bearer token that a request for them needs; undefined lets everyone read them. */
  readonly token: string | undefined;
  /** Writes the metrics of all processes that serve this port, where there are several. */
  readonly ofAll: Exposition | undefined;
}

/** `GET /metrics`, for Prometheus: counts and measurements, and no stored data. */
export const metricsRoutes: FastifyPluginCallback<MetricsDeps> = (
  app,
  { metrics, token, ofAll },
  done,
) => {
  // Loaded with the first request: the library is a tenth of the program, and not everyone reads metrics. Metrics of
  // the process itself (garbage, event loop, processor time) count from then on.
  let loading: Promise<Exposition> | undefined;
  const load = () => {
    loading ??= import('@petstore/service/metrics/exposition.ts').then(({ exposition }) =>
      exposition(metrics),
    );
    return loading;
  };
  // Digests have the same length, and comparing them takes the same time, whatever they are.
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
