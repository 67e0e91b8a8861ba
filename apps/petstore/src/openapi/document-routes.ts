import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import { openApiDocument, toJson, toYaml } from './document.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  readonly now: () => Date;
}

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  const document = () => openApiDocument(app, deps.baseUrls(), deps.now());

  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/json').send(toJson(document()));
  });

  // RFC 9512 names the media type.
  app.get('/openapi.yaml', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/yaml').send(toYaml(document()));
  });

  done();
};
