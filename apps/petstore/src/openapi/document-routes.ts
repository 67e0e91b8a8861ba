import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import { documentDerivatives, type OpenApiDocument, toJson, toYaml } from './document.ts';
import { toOpenApi30 } from './openapi-30.ts';
import { Asset } from './reference/asset.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The forms in which the document is served. RFC 9512 names the media type of YAML. */
const FORMS: Record<string, (today: OpenApiDocument) => Promise<Asset>> = {
  '/openapi.json': async (today) => new Asset(JSON_TYPE, toJson(today)),
  '/openapi.yaml': async (today) => new Asset('application/yaml', await toYaml(today)),
  '/openapi-3.0.json': async (today) => new Asset(JSON_TYPE, toJson(toOpenApi30(today))),
};

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  const daily = documentDerivatives(app, deps);
  for (const [path, write] of Object.entries(FORMS)) {
    const form = daily(write);
    app.get(path, { schema: { hide: true } }, async (request, reply) =>
      (await form()).send(request, reply, 'no-cache'),
    );
  }
  done();
};
