import { createLog } from '@petstore/service/log.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import type { Command } from 'commander';
import { addressesOf } from '../addresses.ts';
import { checkSealed, openSealer } from '../certificates/sealing.ts';
import { readConfig } from '../config.ts';
import { startConfiguredEdge } from '../configured-edge.ts';
import { openDatabase } from '../store/open-database.ts';
import { holdsSealed } from '../store/sealed.ts';
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
        const { platformHost } = config;
        const { httpPort, httpsPort } = config.edge;
        const ports = { dashboard: config.port, edge: httpPort, edgeHttps: httpsPort };
        const addresses = () => addressesOf(config, ports);
        const sealer = openSealer(config, await holdsSealed(db));
        await checkSealed(db, sealer);
        const source = siteSource({ db, platformHost, addresses, sealer, now: Date.now });
        const edge = await startConfiguredEdge(config, { source, log });
        Object.assign(ports, { edge: edge.port, edgeHttps: edge.httpsPort });
        stopOnSignal({
          close: async () => {
            await edge.close();
            await close();
          },
          timeoutMs: SHUTDOWN_TIMEOUT_MS,
          log,
        });
        process.stdout.write(
          `Sites are served at ${addresses().site('project').replace('project.', 'PROJECT.')}\n` +
            `Custom domains are served over TLS on port ${edge.httpsPort}\n`,
        );
        log.info({ port: edge.port, httpsPort: edge.httpsPort }, 'edge listening');
      } catch (error) {
        await close();
        throw error;
      }
    });
}
