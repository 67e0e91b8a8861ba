import type { FastifyInstance } from 'fastify';

/**
 * Bodies are JSON and nothing else. An empty one counts as none, as clients that name a type for every
 * request send with DELETE; `__proto__` is ignored as any field is that no schema knows.
 */
export function parseJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, `${body}`, done);
  });
}
