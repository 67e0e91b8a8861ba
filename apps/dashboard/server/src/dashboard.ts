import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { urlHost } from '@petstore/service/listen.ts';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyListenOptions } from 'fastify';
import { openAccountMail } from './accounts/account-mail.ts';
import { endDisallowedSessions } from './accounts/end-disallowed-sessions.ts';
import { PASSWORD_COST, type PasswordCost } from './accounts/passwords.ts';
import { makeSecret } from './accounts/secrets.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { startIssuer } from './certificates/issuer.ts';
import { startPlatformIssuer } from './certificates/platform-certificate.ts';
import { openSealer } from './certificates/sealing.ts';
import type { Config } from './config.ts';
import { configuredSource, startConfiguredEdge } from './configured-edge.ts';
import { startPreviewEnder } from './deploys/branch-previews.ts';
import { runBuild } from './deploys/build/process/run-build.ts';
import { runComparison } from './deploys/build/process/run-comparison.ts';
import { startBuilder } from './deploys/builder.ts';
import { UPLOAD_LIMITS, type UploadLimits } from './deploys/receive-upload.ts';
import type { Deps } from './deps.ts';
import { signingKey } from './domain-connect/signing-key.ts';
import { startChecker } from './domains/checker.ts';
import { startRehearser } from './domains/rehearsal/rehearser.ts';
import type { Edge, EdgeSockets } from './edge/edge-server.ts';
import { EdgeMetrics } from './edge/metrics/edge-metrics.ts';
import type { JobRunner } from './jobs/job-runner.ts';
import { startMemoryTrimming } from './memory-trimming.ts';
import { startDeliverer } from './notices/deliverer.ts';
import { openProviders } from './oidc/providers.ts';
import { databaseObserver } from './operations/database-metrics.ts';
import { JobMetrics } from './operations/job-metrics.ts';
import { checkDatabaseAndEdge, startOperations } from './operations/operations.ts';
import { StoreLevels } from './operations/store-levels.ts';
import { ownHosts } from './own-hosts/own-hosts.ts';
import { startRepositoryJobs } from './repositories/repository-jobs.ts';
import { buildServer } from './server.ts';
import { readerSource } from './site-access/reader-source.ts';
import { openSpool } from './spool.ts';
import { startMaintenance } from './store/maintenance.ts';
import { openDatabase } from './store/open-database.ts';
import type { Db } from './store/schema.ts';
import { sampleSealed } from './store/sealed.ts';
import { trustedRoots } from './trusted-roots.ts';
import { ensureWebBuild } from './web/ensure-web-build.ts';
import { challengeZone } from './zone/challenge-zone.ts';
import { startOwnZone } from './zone/own-zone.ts';

export interface Dashboard {
  readonly addresses: Addresses;
  /** Where it listens itself, without TLS. */
  readonly localUrl: string;
  /** The address of sites over TLS. */
  readonly httpsPort: number;
  /** Where it answers for its own zone; undefined where it has none. */
  readonly dnsPort: number | undefined;
  /** The operator's port; undefined where there is none. */
  readonly operatorPort: number | undefined;
  readonly db: Db;
  /** Says that it is not ready, goes on for as long as is configured, and ends its parts. */
  close(): Promise<void>;
}

/**
 * Starts all parts of `dashboard serve`: the service, the edge, the builder, the deliverer and the upkeep of the store.
 */
export async function startDashboard({
  config,
  log,
  version,
  now = Date.now,
  passwordCost = PASSWORD_COST,
  uploadLimits = UPLOAD_LIMITS,
  webBuild = ensureWebBuild(log),
  sockets = {},
  gracePeriodMs = 0,
  open = openDatabase,
}: {
  config: Config;
  log: Log;
  version: string;
  /** The clock, in milliseconds since 1970. */
  now?: () => number;
  passwordCost?: PasswordCost;
  uploadLimits?: UploadLimits;
  /** The folder of the pages' files. */
  webBuild?: Promise<string>;
  /** Descriptors of sockets that this process was given, to listen on in place of the ports. */
  sockets?: EdgeSockets & { readonly dashboard?: number };
  /** How long clients that are busy get for one more request when it closes, in milliseconds. */
  gracePeriodMs?: number;
  /** How the database is opened. */
  open?: typeof openDatabase;
}): Promise<Dashboard> {
  // Awaited where it is needed.
  webBuild.catch(() => {});
  // First and last, so that it tells of the start and of the end.
  const operations = await startOperations(config, { log, version });
  const { metrics, readiness } = operations;
  // In the reverse order of their start.
  const closers: (() => Promise<void>)[] = [operations.close];
  const end = async () => {
    for (const step of closers.toReversed()) await step();
  };
  const close = async () => {
    readiness.stopping();
    if (config.shutdownDelayMs > 0) await sleep(config.shutdownDelayMs);
    await end();
  };
  try {
    const observer = metrics && databaseObserver(metrics);
    const database = await open(config.databaseUrl, config.databasePoolSize, observer);
    const { db } = database;
    closers.push(database.close);
    const { httpPort, httpsPort } = config.edge;
    const ports = { dashboard: config.port, edge: httpPort, edgeHttps: httpsPort };
    const addresses = () => addressesOf(config, ports);
    const parts: {
      edge?: Edge;
      builder?: JobRunner;
      deliverer?: JobRunner;
      issuer?: JobRunner;
      checker?: JobRunner;
      rehearser?: JobRunner;
      repositories?: JobRunner;
    } = {};
    const spool = openSpool(config.dataDir);
    closers.push(spool.close);
    const sealer = openSealer(config, await sampleSealed(db));
    await endDisallowedSessions({ db, config, log });
    const accountMail = config.mail && openAccountMail(config.mail, { now, log });
    if (accountMail) closers.push(accountMail.close);
    const providers = openProviders({ db, now, config });
    closers.push(providers.close);
    const deps: Deps = {
      config,
      db,
      addresses,
      now,
      passwordCost,
      siteChanged: (projectId) => parts.edge?.invalidate([projectId]),
      deployQueued: () => parts.builder?.wake(),
      domainsChanged: () => {
        parts.checker?.wake();
        parts.issuer?.wake();
        parts.rehearser?.wake();
        parts.deliverer?.wake();
      },
      repositoriesChanged: () => parts.repositories?.wake(),
      spool,
      uploadLimits,
      accountMail,
      metrics: metrics && new JobMetrics(metrics, config.acme),
      sealer,
      providers,
    };
    if (metrics) {
      const levels = new StoreLevels(metrics, { db, config, now });
      operations.onRead(() => levels.refresh());
    }
    closers.push(startMaintenance(database, now, log), startMemoryTrimming());

    const app = await buildServer({
      ...{ deps, log, version, readiness, gracePeriodMs },
      webFolder: await webBuild,
    });
    const own = await ownHosts(deps, { app, log });
    closers.push(async () => own.close());
    const source = configuredSource(config, { db, addresses, sealer, now });
    // Known to this process alone, and only while it runs.
    const ownPass = makeSecret();
    const access = readerSource({ ...deps, ownPass });
    const edge = await startConfiguredEdge(config, {
      ...{ source, access, log, sockets, ownHosts: own.hosts },
      metrics: metrics && new EdgeMetrics(metrics),
    });
    parts.edge = edge;
    Object.assign(ports, { edge: edge.port, edgeHttps: edge.httpsPort });
    // At the same time: the edge hands connections to the app's server, whose clients need the same time to leave.
    closers.push(
      async () => void (await Promise.all([edge.close({ gracePeriodMs }), app.close()])),
    );

    // Before the zone is read, which has the public one.
    if (config.domainConnect) await signingKey(deps);
    const zone = await startOwnZone(config, { db, log, now });
    if (zone) closers.push(zone.close);

    await app.listen(listenOptions(config, sockets.dashboard));
    ports.dashboard = (app.server.address() as AddressInfo).port;

    parts.builder = startBuilder({ ...deps, log, build: runBuild, compare: runComparison });
    closers.push(parts.builder.stop);
    closers.push(startPreviewEnder({ ...deps, log }).stop);
    parts.deliverer = startDeliverer({ ...deps, log });
    closers.push(parts.deliverer.stop);
    const challenges = challengeZone(config);
    parts.issuer = startIssuer({ ...deps, log, zone: challenges });
    closers.push(parts.issuer.stop);
    const platformIssuer = startPlatformIssuer({ ...deps, log, zone: challenges });
    if (platformIssuer) closers.push(platformIssuer.stop);
    parts.checker = startChecker({ ...deps, log });
    closers.push(parts.checker.stop);
    parts.rehearser = startRehearser({
      ...{ ...deps, log, roots: trustedRoots('ACME_CA_FILE', config.acme.caFile) },
      edge: { host: config.edge.host, http: edge.port, https: edge.httpsPort, pass: ownPass },
    });
    closers.push(parts.rehearser.stop);
    // Loaded where they are configured: most installations have neither.
    if (config.auditSyslog) {
      const { startForwardingAudit } = await import('./audit/syslog/forward-audit.ts');
      const forwarding = startForwardingAudit({ ...deps, log });
      if (forwarding) closers.push(forwarding.stop);
    }
    if (config.ctLogList !== undefined) {
      const { startFollowingLogs } = await import('./transparency/follow-logs.ts');
      const transparency = startFollowingLogs({ ...deps, log });
      if (transparency) closers.push(transparency.stop);
    }
    parts.repositories = startRepositoryJobs({ ...deps, log });
    closers.push(parts.repositories.stop);
    checkDatabaseAndEdge(readiness, { db, host: config.edge.host, port: edge.port });
    readiness.started();
    const localUrl = `http://${urlHost(config.host)}:${ports.dashboard}`;
    const started = {
      ...{ localUrl, httpsPort: edge.httpsPort, dnsPort: zone?.port },
      operatorPort: operations.port,
    };
    return { addresses: addresses(), ...started, db, close };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Fastify passes a descriptor on to Node; its types lack it, and without a host it would take localhost for one. */
function listenOptions(
  { host, port }: Config,
  fd: number | undefined,
): FastifyListenOptions & { fd?: number } {
  return fd === undefined ? { host, port } : { host, fd };
}
