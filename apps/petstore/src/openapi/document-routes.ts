import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import { sunsetDate } from '../http/deprecation.ts';
import { openApiDocument, toJson, toYaml } from './document.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  // Written once a day: an operation leaves the document on its sunset day, and nothing else changes.
  let day = '';
  let texts = { json: '', yaml: '' };
  const current = () => {
    const today = sunsetDate(new Date(deps.now()));
    if (today !== day) {
      const document = openApiDocument(app, deps.baseUrls(), new Date(deps.now()));
      texts = { json: toJson(document), yaml: toYaml(document) };
      day = today;
    }
    return texts;
  };

  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/json').send(current().json);
  });

  // RFC 9512 names the media type.
  app.get('/openapi.yaml', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/yaml').send(current().yaml);
  });

  done();
};
