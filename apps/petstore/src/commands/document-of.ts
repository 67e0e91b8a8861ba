import { IN_MEMORY } from '@petstore/service/database-url.ts';
import type { Env } from '@petstore/service/environment.ts';
import { pino } from 'pino';
import { baseUrls } from '../addresses.ts';
import { DEFAULT_PORT, readConfig } from '../config.ts';
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts';
import { buildServer } from '../server.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';

/** The document of the service that an environment configures. */
export async function documentOf(env: Env): Promise<OpenApiDocument> {
  const config = readConfig(env);
  // The document is made from the routes, and routes need a store: an empty one in memory.
  const store = openSqliteStore(IN_MEMORY);
  const app = await buildServer({ config, store, log: pino({ level: 'silent' }) });
  await app.ready();
  const document = await openApiDocument(
    app,
    baseUrls(config, config.port || DEFAULT_PORT),
    new Date(),
  );
  await app.close();
  await store.close();
  return document;
}
