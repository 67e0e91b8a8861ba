import type { Env } from '@petstore/service/environment.ts';

/** What `petstore --help` says of the environment, within 80 columns. Defaults stand in parentheses. */
export const ENVIRONMENT = `\
  Address
    PETSTORE_HOST               address to listen on (127.0.0.1)
    PETSTORE_PORT               port to listen on; 0 picks a free one (8080)
    PETSTORE_ENV                production or staging (production)
    PETSTORE_BASE_URL           public address of production, ending in /v1
    PETSTORE_STAGING_BASE_URL   public address of staging, ending in /v1
    PETSTORE_TRUSTED_PROXIES    whose X-Forwarded-For is believed: addresses
                                and networks, separated by commas (none)
    PETSTORE_CORS_ORIGINS       whose web pages may call the API: origins,
                                separated by commas (none)
    PETSTORE_STABILITY          stable, beta or experimental: the least settled
                                operations that are offered (experimental)

  Database
    PETSTORE_DATABASE_URL       where the data is (sqlite:./data/petstore.db)
    PETSTORE_DATABASE_URL_FILE  a file that says so instead, to keep a password
                                out of the environment
    PETSTORE_DATABASE_REPLICA_URL
                                standbys of PostgreSQL to read from, too, with
                                spaces between them (none)
    PETSTORE_DATABASE_REPLICA_URL_FILE
                                a file that says so instead
    PETSTORE_DATABASE_POOL_SIZE connections to PostgreSQL, at most (10)
    PETSTORE_PAGE_CACHE_BYTES   memory for pages of the list; 0 keeps none
                                (16777216)
    PETSTORE_IDEMPOTENCY_HOURS  how long the response to an Idempotency-Key is
                                kept (24)
    PETSTORE_IDEMPOTENCY_ANSWERS_PER_KEY
                                how many such responses are kept for each API
                                key (100000)

  Events and webhooks
    PETSTORE_EVENTS_HOURS       how long an event is kept (24)
    PETSTORE_EVENTS_MAX_MB      how many megabytes of events are kept; older
                                ones go sooner (1024)
    PETSTORE_MAX_EVENT_STREAMS  streams of events that may be open at once (200)
    PETSTORE_MAX_EVENT_STREAMS_PER_KEY
                                those of one key (20)
    PETSTORE_MAX_WEBHOOKS       webhooks that may be kept (200)
    PETSTORE_WEBHOOK_PRIVATE_ADDRESSES
                                allow: webhooks may lead to private networks
                                and go over http (refuse)

  Limits
    PETSTORE_RATE_LIMIT         requests a second for each key; 0 for no limit
                                (0)
    PETSTORE_RATE_LIMIT_WINDOW_SECONDS
                                the window in which they are counted (1)
    PETSTORE_AUTH_FAILURES_PER_MINUTE
                                failed authentications of one address; 0 for no
                                limit (600)
    PETSTORE_SANDBOXES          who may get a sandbox: off for nobody, keys for
                                whoever has a key, open for everyone (open on
                                loopback without a public address, else keys)
    PETSTORE_MAX_SANDBOXES      sandboxes that there may be at once (10000)
    PETSTORE_SANDBOXES_PER_HOUR those that one address, or one key, may make; 0
                                for no limit (100)
    PETSTORE_HEADERS_TIMEOUT_MS how long a client may take to send the headers
                                (10000)
    PETSTORE_REQUEST_TIMEOUT_MS how long for the whole request (30000)
    PETSTORE_RESPONSE_TIMEOUT_MS
                                how long it may take to read its response
                                (60000)
    PETSTORE_KEEP_ALIVE_TIMEOUT_MS
                                how long a connection may lie idle (72000)
    PETSTORE_MAX_HEADER_BYTES   how large the headers may be together (16384)
    PETSTORE_MAX_HEADERS        how many there may be (100)

  Overload
    PETSTORE_MAX_CONNECTIONS    connections that may be open at once (10000)
    PETSTORE_MAX_REQUESTS_IN_FLIGHT
                                requests that may be under way (10000)
    PETSTORE_MAX_QUEUED_WRITES  writes that may wait for the database (8192)
    PETSTORE_MAX_EVENT_LOOP_DELAY_MS
                                how long each turn of the event loop may take;
                                0 for any time (250)

  Logs and metrics
    PETSTORE_LOG_LEVEL          fatal, error, warn, info, debug, trace or silent
                                (info)
    PETSTORE_ACCESS_LOG         which requests have a line in the log: off,
                                errors (5xx and slow ones) or all (errors)
    PETSTORE_SLOW_REQUEST_MS    from which duration on one is slow (1000)
    PETSTORE_METRICS            on or off: GET /metrics, for Prometheus (on)
    PETSTORE_METRICS_TOKEN      bearer token that whoever reads them has to send
                                (none)
    PETSTORE_METRICS_TOKEN_FILE a file that holds it instead
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
                                collector of OpenTelemetry traces, OTLP over
                                HTTP (none)
    OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG,
    OTEL_SDK_DISABLED           as OpenTelemetry has them (petstore,
                                parentbased_always_on, 1, false)

  Stopping
    PETSTORE_SHUTDOWN_DELAY_MS  how long to serve on, unready, once told to stop
                                (0)
    PETSTORE_SHUTDOWN_TIMEOUT_MS
                                how long requests may then take to finish
                                (10000)
    PETSTORE_READY_TIMEOUT_MS   how long /readyz waits for the store (2000)

  Calling a service
    PETSTORE_URL                address of the service that mcp, events, report
                                and challenge call, ending in /v1
    PETSTORE_KEY                API key for mcp and events`;

const KNOWN: ReadonlySet<string> = new Set(ENVIRONMENT.match(/\bPETSTORE_\w+/g));

/** Variables that look like settings but are not: misspelt ones, or those of another version. */
export function unknownSettings(env: Env): string[] {
  return Object.keys(env).filter((name) => name.startsWith('PETSTORE_') && !KNOWN.has(name));
}
