import { print } from '@petstore/service/commands.ts';
import { type Command, Option } from 'commander';
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
      const { documentOf } = await import('./document-of.ts');
      const { toJson, toYaml } = await import('../openapi/document.ts');
      const { toOpenApi30 } = await import('../openapi/openapi-30.ts');
      const { toOpenApi31 } = await import('../openapi/openapi-31.ts');
      const current = await documentOf(process.env);
      const document = options.openapi === '3.0' ? toOpenApi30(current) : toOpenApi31(current);
      const text = options.yaml ? await toYaml(document) : toJson(document);
      await print(text.trimEnd());
    });
}
