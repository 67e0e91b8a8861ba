import { createLog } from '@petstore/service/log.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import type { Command } from 'commander';
import { addressesOf } from '../addresses.ts';
import { readConfig } from '../config.ts';
import { startConfiguredEdge } from '../configured-edge.ts';
import { openDatabase } from '../store/open-database.ts';
import { siteSource } from '../store/sites.ts';
import { subcommand } from './subcommand.ts';

const SHUTDOWN_TIMEOUT_MS = 10_000;

export function edgeCommand(): Command {
  return subcommand('edge')
    .description(
      'Serve sites alone, without the dashboard; as many of these as you like on one database.',
    )
    .action(async () => {
      const config = readConfig(process.env);
      const log = createLog(config.logLevel);
      const { db, close } = await openDatabase(config.databaseUrl, config.databasePoolSize);
      try {
        let port = config.edge.httpPort;
        const addresses = () => addressesOf(config, { dashboard: config.port, edge: port });
        const source = siteSource(db, config.platformHost, addresses);
        const edge = await startConfiguredEdge(config, { source, log });
        ({ port } = edge);
        stopOnSignal({
          close: async () => {
            await edge.close();
            await close();
          },
          timeoutMs: SHUTDOWN_TIMEOUT_MS,
          log,
        });
        process.stdout.write(
          `Sites are served at ${addresses().site('project').replace('project.', 'PROJECT.')}\n`,
        );
        log.info({ port }, 'edge listening');
      } catch (error) {
        await close();
        throw error;
      }
    });
}
