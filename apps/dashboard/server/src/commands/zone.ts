import { writeZoneFile } from '@petstore/dns-server/zone-file.ts';
import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { readOwnZone } from '../zone/own-zone.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

export function zoneCommand(): Command {
  return subcommand('zone')
    .description('Print the zone that the dashboard answers for (DNS_ZONE), as a zone file.')
    .action(async () => {
      const config = readConfig(process.env);
      const { dnsZone } = config;
      if (!dnsZone)
        throw new UserError(
          'This dashboard answers for no zone: set DNS_ZONE, such as acme.docs.example.com.',
        );
      await withDatabase({ mustExist: true }, async (db) => {
        const zone = await readOwnZone(dnsZone, config, { db, now: Date.now });
        await print(writeZoneFile(zone).trimEnd());
      });
    });
}
