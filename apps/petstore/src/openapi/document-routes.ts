import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import { sunsetDate } from '../http/deprecation.ts';
import { type OpenApiDocument, openApiDocument, toJson, toYaml } from './document.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  // Written once a day: an operation leaves the document on its sunset day, and nothing else changes.
  const onceADay = <T>(write: (document: OpenApiDocument) => T): (() => T) => {
    let day: string | undefined;
    let text: T;
    return () => {
      const now = new Date(deps.now());
      const today = sunsetDate(now);
      if (today !== day) text = write(openApiDocument(app, deps.baseUrls(), now));
      day = today;
      return text;
    };
  };
  const json = onceADay(toJson);
  const yaml = onceADay(toYaml);

  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/json').send(json());
  });

  // RFC 9512 names the media type.
  app.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml').send(await yaml()),
  );

  done();
};
