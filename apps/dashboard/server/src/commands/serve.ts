import { activatedSockets } from '@petstore/service/activated-sockets.ts';
import { databasePlace } from '@petstore/service/database-url.ts';
import { type Env, text } from '@petstore/service/environment.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import { createLog } from '@petstore/service/log.ts';
import { stopOnSignal, UNTIL_STDIN_ENDS } from '@petstore/service/shutdown.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import type { DomainConfig } from '../config-domain.ts';
import type { Dashboard } from '../dashboard.ts';
import { DATABASE_VARIABLE } from '../store/open-database.ts';
import { listPlatformCertificates } from '../store/platform-certificates.ts';
import { hasUsers } from '../store/users.ts';
import { setUpRecords } from '../zone/set-up-records.ts';
import { wildcardOf } from '../zone/zone-records.ts';
import { banner, type OwnFacts } from './banner.ts';
import { subcommand } from './subcommand.ts';

/** How long requests under way may take to finish when the process is told to stop. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

interface Options {
  readonly json?: boolean;
  readonly untilStdinEnds?: boolean;
  readonly domain?: string;
  readonly petstore?: string;
}

export function serveCommand(version: string): Command {
  return subcommand('serve')
    .description('Run the dashboard, and the edge that serves its sites.')
    .option(
      '--json',
      'print where it is as one line of JSON instead of the banner, for programs that start it',
    )
    .option(
      '--domain <name>',
      'serve the dashboard at this name and sites below it over HTTPS, without a proxy: with ports 80, 443 and 53, and certificates of its own (DASHBOARD_DOMAIN)',
    )
    .option(
      '--petstore <name>',
      'with --domain: also serve the API at this name; it runs at DASHBOARD_PETSTORE_URL (DASHBOARD_PETSTORE)',
    )
    .option(...UNTIL_STDIN_ENDS)
    .action(async ({ json, untilStdinEnds, domain, petstore }: Options) => {
      const config = readConfig(
        withOptions(process.env, { DASHBOARD_DOMAIN: domain, DASHBOARD_PETSTORE: petstore }),
      );
      const log = createLog(config.logLevel);
      // Loaded here, since the other commands start faster and smaller without it.
      const { startDashboard } = await import('../dashboard.ts');
      const { GRACE_PERIOD_MS } = await import('../configured-edge.ts');
      const sockets = Object.fromEntries(activatedSockets(['dashboard', 'http', 'https']));
      const options = { config, log, version, sockets, gracePeriodMs: GRACE_PERIOD_MS };
      const dashboard = await startDashboard(options).catch((error) => {
        throw explained(error, config);
      });
      const timeoutMs = SHUTDOWN_TIMEOUT_MS + config.shutdownDelayMs;
      stopOnSignal({ close: dashboard.close, timeoutMs, log, untilStdinEnds });
      const { addresses, httpsPort, dnsPort, operatorPort, db } = dashboard;
      const facts = {
        version,
        url: addresses.dashboard,
        sites: addresses.site('slug').replace('//slug.', '//{slug}.'),
        httpsPort,
        dnsPort,
        operatorPort,
        data: databasePlace(DATABASE_VARIABLE, config.databaseUrl),
        hasUsers: await hasUsers(db),
        own: config.domain && (await ownFacts(dashboard, config, config.domain)),
      };
      process.stdout.write(json ? `${JSON.stringify(facts)}\n` : banner(facts));
      log.info({ url: facts.url, sites: facts.sites, httpsPort }, 'listening');
    });
}

/** The environment with what the options set. Throws UserError where a variable says something else. */
function withOptions(env: Env, options: Readonly<Record<string, string | undefined>>): Env {
  for (const [variable, value] of Object.entries(options)) {
    const known = text(env, variable);
    if (value === undefined || known === undefined || known === value) continue;
    throw new UserError(
      `${variable} is "${known}", and the option says "${value}". Unset ${variable}, or leave the option out.`,
    );
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...env, ...Object.fromEntries(given) };
}

/** What the banner says of names of its own. */
async function ownFacts(
  { addresses, db, localUrl }: Dashboard,
  config: Config,
  { petstore }: DomainConfig,
): Promise<OwnFacts> {
  const now = Date.now();
  const certificates = await listPlatformCertificates(db);
  const isCertified = (name: string) =>
    certificates.some(({ hostname, not_after }) => hostname === name && (not_after ?? 0) > now);
  const hasCertificate = isCertified(wildcardOf(config.platformHost));
  return {
    localUrl,
    api: petstore && { url: addresses.domain(petstore.name), target: petstore.url },
    records: setUpRecords(config).filter(({ name }) =>
      name === petstore?.name ? !isCertified(name) : !hasCertificate,
    ),
    hasCertificate,
  };
}

function explained(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const where = { host, port, hostVariable: 'DASHBOARD_HOST', portVariable: 'DASHBOARD_PORT' };
  return explainListenError(error, where);
}
