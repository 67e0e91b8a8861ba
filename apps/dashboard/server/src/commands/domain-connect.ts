import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Command, Option } from 'commander';
import { readConfig } from '../config.ts';
import { fileNameOf, templatesOf } from '../domain-connect/templates.ts';
import { subcommand } from './subcommand.ts';

export function domainConnectCommand(): Command {
  const services = ['docs', 'docs-apex'];
  const template = subcommand('domain-connect', 'template')
    .description('Print a template for Domain Connect, to be handed in at its public repository.')
    .addOption(
      new Option('--service <id>', 'of names below a domain, or of the domain itself')
        .choices(services)
        .default('docs'),
    )
    .addHelpText(
      'after',
      '\nThe repository is https://github.com/Domain-Connect/Templates;\nthe file is named PROVIDER_ID.SERVICE.json.',
    )
    .action(async ({ service }: { service: string }) => {
      const { domainConnect, dnsZone, platformHost, publicUrl } = readConfig(process.env);
      if (!domainConnect || !dnsZone)
        throw new UserError('Set DOMAIN_CONNECT_PROVIDER_ID, such as docs.example.com.');
      if (publicUrl === undefined)
        throw new UserError(
          'Set DASHBOARD_PUBLIC_URL: the template names the host to which people come back.',
        );
      const dashboardHost = new URL(publicUrl).hostname;
      const found = templatesOf({ domainConnect, dnsZone, platformHost, dashboardHost }).find(
        ({ serviceId }) => serviceId === service,
      );
      if (!found) return;
      await print(JSON.stringify(found, null, 2));
      process.stderr.write(`The file is ${fileNameOf(found)}\n`);
    });
  return subcommand('domain-connect')
    .description('Have DNS providers create the records of custom domains.')
    .addCommand(template);
}
