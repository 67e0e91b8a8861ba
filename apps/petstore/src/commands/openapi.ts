import { print } from '@petstore/service/commands.ts';
import { IN_MEMORY } from '@petstore/service/database-url.ts';
import { type Command, Option } from 'commander';
import { pino } from 'pino';
import { baseUrls } from '../addresses.ts';
import { DEFAULT_PORT, readConfig } from '../config.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { subcommand } from './subcommand.ts';

export function openApiCommand(): Command {
  return subcommand('openapi')
    .description('Print the OpenAPI document.')
    .option('--yaml', 'as YAML instead of JSON')
    .addOption(
      new Option('--openapi <version>', 'the version of OpenAPI in which it is written')
        .choices(['3.1', '3.0'])
        .default('3.1'),
    )
    .action(async (options: { yaml?: boolean; openapi: string }) => {
      const config = readConfig(process.env);
      const { buildServer } = await import('../server.ts');
      const { openApiDocument, toJson, toYaml } = await import('../openapi/document.ts');
      // The document is made from the routes, and routes need a store: an empty one in memory.
      const store = openSqliteStore(IN_MEMORY);
      const app = await buildServer({ config, store, log: pino({ level: 'silent' }) });
      await app.ready();
      const { toOpenApi30 } = await import('../openapi/openapi-30.ts');
      const current = await openApiDocument(
        app,
        baseUrls(config, config.port || DEFAULT_PORT),
        new Date(),
      );
      const document = options.openapi === '3.0' ? toOpenApi30(current) : current;
      const text = options.yaml ? await toYaml(document) : toJson(document);
      await print(text.trimEnd());
      await app.close();
      await store.close();
    });
}
