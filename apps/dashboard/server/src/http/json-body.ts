import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Bodies are JSON and nothing else. An empty one counts as none, as clients that name a type for every
 * request send with DELETE; `__proto__` is ignored as any field is that no schema knows.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, `${body}`, done);
  });
}

/** The parameters that are integers; what is no canonical decimal stays text, which the schema refuses. */
const NAMES = ['limit'];

/** Query values arrive as text, and schemas are strict: reads the integers among them. */
export async function parseQueryIntegers(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of NAMES) {
    const value = query[name];
    if (typeof value === 'string' && /^(0|[1-9][0-9]{0,8})$/.test(value))
      query[name] = Number(value);
  }
}
