import { createRequire } from 'node:module';
import { programCommand, runProgram } from '@petstore/service/commands.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { openApiCommand } from './commands/openapi.ts';
import { restoreCommand } from './commands/restore.ts';
import { seedCommand } from './commands/seed.ts';
import { serveCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { reason, StoreUnavailableError } from './store/store.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const environment = `\
  PETSTORE_HOST              address to listen on (127.0.0.1)
  PETSTORE_PORT              port to listen on; 0 picks a free one (8080)
  PETSTORE_DATABASE_URL      where the data is (sqlite:./data/petstore.db)
  PETSTORE_DATABASE_URL_FILE a file that says so instead, to keep a password out of the environment
  PETSTORE_DATABASE_POOL_SIZE
                             connections to PostgreSQL at most (10)
  PETSTORE_ENV               production or staging (production)
  PETSTORE_BASE_URL          public address of production, ending in /v1
  PETSTORE_STAGING_BASE_URL  public address of staging, ending in /v1
  PETSTORE_CORS_ORIGINS      origins of web pages that may call the API, separated by commas (none)
  PETSTORE_RATE_LIMIT        requests a second for each key; 0 for no limit (0)
  PETSTORE_RATE_LIMIT_WINDOW_SECONDS
                             the window in which they are counted (1)
  PETSTORE_AUTH_FAILURES_PER_MINUTE
                             failed authentications of one address; 0 for no limit (600)
  PETSTORE_TRUSTED_PROXIES   proxies whose X-Forwarded-For is believed, as addresses and networks
                             separated by commas (none)
  PETSTORE_STABILITY         stable, beta or experimental: the least settled operations that are
                             offered (experimental)
  PETSTORE_LOG_LEVEL         fatal, error, warn, info, debug, trace or silent (info)
  PETSTORE_ACCESS_LOG        which requests have a line in the log: off, errors (5xx and slow ones)
                             or all (errors)
  PETSTORE_SLOW_REQUEST_MS   from which duration on a request is slow (1000)
  PETSTORE_METRICS           on or off: GET /metrics, for Prometheus (on)
  PETSTORE_METRICS_TOKEN, PETSTORE_METRICS_TOKEN_FILE
                             bearer token that whoever reads them has to send (none)
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
                             collector of OpenTelemetry traces, OTLP over HTTP (none)
  OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_SDK_DISABLED
                             as OpenTelemetry has them (petstore, parentbased_always_on, 1, false)
  PETSTORE_PAGE_CACHE_BYTES  memory for pages of the list; 0 keeps none (16777216)
  PETSTORE_HEADERS_TIMEOUT_MS, PETSTORE_REQUEST_TIMEOUT_MS
                             how long a client may take to send (10000, 30000)
  PETSTORE_IDEMPOTENCY_HOURS how long the answer to an Idempotency-Key is kept (24)
  PETSTORE_IDEMPOTENCY_ANSWERS_PER_KEY
                             how many such answers are kept of each API key (100000)
  PETSTORE_RESPONSE_TIMEOUT_MS
                             how long a client may leave its answer untaken (60000)
  PETSTORE_KEEP_ALIVE_TIMEOUT_MS
                             how long a connection may lie idle (72000)
  PETSTORE_MAX_CONNECTIONS   connections that may be open at once (10000)
  PETSTORE_MAX_HEADER_BYTES, PETSTORE_MAX_HEADERS
                             how large headers may be, and how many (16384, 100)
  PETSTORE_MAX_REQUESTS_IN_FLIGHT, PETSTORE_MAX_QUEUED_WRITES
                             requests under way and writes that wait, at most (10000, 8192)
  PETSTORE_MAX_EVENT_LOOP_DELAY_MS
                             how long each turn of the event loop may take before requests are
                             turned away; 0 for any time (250)
  PETSTORE_SHUTDOWN_DELAY_MS, PETSTORE_SHUTDOWN_TIMEOUT_MS
                             how long to serve on once told to stop, and how long requests may
                             then take to finish (0, 10000)
  PETSTORE_READY_TIMEOUT_MS  how long /readyz waits for the store (2000)`;

const program = programCommand('petstore', version, environment)
  .description("A store's animals over HTTP, and the keys to reach them.")
  .addCommand(serveCommand(version))
  .addCommand(keysCommand())
  .addCommand(auditCommand())
  .addCommand(openApiCommand())
  .addCommand(seedCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(verifyCommand());

await runProgram(program, (error) =>
  error instanceof StoreUnavailableError
    ? `The database cannot do this now: it is locked by another program, full, or away (${reason(error)}). Try again.`
    : undefined,
);
