import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import { toJson, toYaml, writtenDaily } from './document.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  const daily = writtenDaily(app, deps);
  const json = daily(toJson);
  const yaml = daily(toYaml);

  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json').send(await json()),
  );

  // RFC 9512 names the media type.
  app.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml').send(await yaml()),
  );

  done();
};
