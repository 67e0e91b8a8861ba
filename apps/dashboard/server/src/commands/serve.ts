import { activatedSockets } from '@petstore/service/activated-sockets.ts';
import { databasePlace } from '@petstore/service/database-url.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import { createLog } from '@petstore/service/log.ts';
import { stopOnSignal, UNTIL_STDIN_ENDS } from '@petstore/service/shutdown.ts';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { DATABASE_VARIABLE } from '../store/open-database.ts';
import { hasUsers } from '../store/users.ts';
import { banner } from './banner.ts';
import { subcommand } from './subcommand.ts';

/** How long requests under way may take to finish when the process is told to stop. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

export function serveCommand(version: string): Command {
  return subcommand('serve')
    .description('Run the dashboard, and the edge that serves its sites.')
    .option(
      '--json',
      'print where it is as one line of JSON instead of the banner, for programs that start it',
    )
    .option(...UNTIL_STDIN_ENDS)
    .action(async ({ json, untilStdinEnds }: { json?: boolean; untilStdinEnds?: boolean }) => {
      const config = readConfig(process.env);
      const log = createLog(config.logLevel);
      // Loaded here, since the other commands start faster and smaller without it.
      const { startDashboard } = await import('../dashboard.ts');
      const { PATIENCE_MS } = await import('../configured-edge.ts');
      const sockets = Object.fromEntries(activatedSockets(['dashboard', 'http', 'https']));
      const options = { config, log, version, sockets, patienceMs: PATIENCE_MS };
      const dashboard = await startDashboard(options).catch((error) => {
        throw explained(error, config);
      });
      stopOnSignal({ close: dashboard.close, timeoutMs: SHUTDOWN_TIMEOUT_MS, log, untilStdinEnds });
      const { addresses, httpsPort, dnsPort, db } = dashboard;
      const facts = {
        version,
        url: addresses.dashboard,
        sites: addresses.site('slug').replace('//slug.', '//{slug}.'),
        httpsPort,
        dnsPort,
        data: databasePlace(DATABASE_VARIABLE, config.databaseUrl),
        hasUsers: await hasUsers(db),
      };
      process.stdout.write(json ? `${JSON.stringify(facts)}\n` : banner(facts));
      log.info({ url: facts.url, sites: facts.sites, httpsPort }, 'listening');
    });
}

function explained(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const where = { host, port, hostVariable: 'DASHBOARD_HOST', portVariable: 'DASHBOARD_PORT' };
  return explainListenError(error, where);
}
