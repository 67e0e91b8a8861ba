import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Accepts JSON bodies alone. An empty one counts as none: some clients send a Content-Type with every DELETE.
 * `__proto__` is ignored like any field that no schema has.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, `${body}`, done);
  });
}

/** The integer parameters. What is not a canonical decimal stays text, which the schema refuses. */
const NAMES = ['limit'];

/** Query values arrive as text, and schemas are strict: parses the integers among them. */
export async function parseQueryIntegers(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of NAMES) {
    const value = query[name];
    if (typeof value === 'string' && /^(0|[1-9][0-9]{0,8})$/.test(value))
      query[name] = Number(value);
  }
}
