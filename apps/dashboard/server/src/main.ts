import { createRequire } from 'node:module';
import { ApiError } from '@petstore/http/errors.ts';
import { addCommands, programCommand, runProgram } from '@petstore/service/commands.ts';
import { isUnavailable } from './store/errors.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const environment = `\
  DASHBOARD_HOST             address to listen on (127.0.0.1)
  DASHBOARD_PORT             port to listen on; 0 picks a free one (8081)
  DASHBOARD_PUBLIC_URL       where browsers reach it, such as https://dashboard.example.com
  DASHBOARD_DOMAIN           the same as serve --domain: the dashboard's own name, with sites below
                             it, over HTTPS and without a proxy (none)
  DASHBOARD_HSTS_SECONDS     Strict-Transport-Security of that name; 0: none (15552000)
  DASHBOARD_PETSTORE         the same as serve --petstore: a name for the API (none)
  DASHBOARD_PETSTORE_URL     where the API runs that is served there (http://127.0.0.1:8080)
  DASHBOARD_DATABASE_URL     where the data is (sqlite: and dashboard.db in the data folder);
                             postgres://… for several machines
  DASHBOARD_DATABASE_POOL_SIZE
                             connections to PostgreSQL at most (10)
  DASHBOARD_DATA_DIR         the data folder (./data)
  DASHBOARD_PLATFORM_HOST    sites are at SLUG. and this (docs.localhost)
  DASHBOARD_SIGN_UP          invitation or open: who may create an account after the first
                             (invitation)
  OIDC_PROVIDERS             OpenID providers with which people sign in, such as acme, separated by
                             commas (none); the next ones are of each, here of acme
  OIDC_ACME_ISSUER           its issuer, such as https://login.example.com
  OIDC_ACME_CLIENT_ID, OIDC_ACME_CLIENT_SECRET (or OIDC_ACME_CLIENT_SECRET_FILE)
                             what it gave for the dashboard
  OIDC_ACME_NAME             its name on the sign-in page (acme)
  OIDC_ACME_SCOPES           what it is asked for (openid email profile)
  OIDC_ACME_GROUPS_CLAIM     the claim with a person's groups (none)
  OIDC_ACME_VERIFIED_CLAIM   the claim that says that an address is verified (email_verified)
  OIDC_ACME_EMAIL_DOMAINS    domains whose people get an account at their first sign-in, by commas
                             (none)
  OIDC_ACME_REQUIRED         domains or everyone: who signs in with it, and in no other way (no)
  DASHBOARD_TRUSTED_PROXIES  addresses whose X-Forwarded-For and -Proto are believed (none)
  DASHBOARD_LOG_LEVEL        fatal, error, warn, info, debug, trace or silent (info)
  DASHBOARD_METRICS_PORT     operator's port: /metrics for Prometheus, /livez, /readyz; 0 picks a
                             free one (none)
  DASHBOARD_METRICS_HOST     address of that port (127.0.0.1)
  DASHBOARD_METRICS_TOKEN    bearer token that whoever reads metrics has to send (none)
  DASHBOARD_METRICS_TOKEN_FILE
                             a file that holds it instead
  DASHBOARD_SHUTDOWN_DELAY_MS
                             how long to serve on, unready, once told to stop (0)
  DASHBOARD_MAX_UPLOAD_BYTES bytes of a document, or of an archive as it is packed (50000000)
  DASHBOARD_MAX_UNPACKED_BYTES
                             bytes of an archive unpacked (200000000)
  DASHBOARD_MAX_ARCHIVE_FILES
                             files of an archive (20000)
  DASHBOARD_MAX_SITE_BYTES   bytes of a site, without compressed forms (1000000000)
  DASHBOARD_MAX_SITE_FILES   files of a site (100000)
  DASHBOARD_BUILD_SECONDS    how long a build may take (300)
  DASHBOARD_BUILD_MEMORY_MB  memory of a build's process (3072)
  DASHBOARD_PREVIEW_DAYS     days without a deploy after which the preview of a branch ends (30)
  EDGE_HOST                  address on which sites are served (127.0.0.1)
  EDGE_HTTP_PORT             port on which sites are served; 0 picks a free one (8082)
  EDGE_HTTPS_PORT            port on which custom domains are served over TLS; 0 picks a free one
                             (8443)
  EDGE_HTTPS_PUBLIC_PORT     port by which browsers reach that one (443 where EDGE_PUBLIC_URL is
                             set, or else the same)
  EDGE_PUBLIC_URL            scheme and port by which browsers reach sites, such as
                             https://docs.example.com (http and EDGE_HTTP_PORT)
  EDGE_CACHE_BYTES           memory for contents of sites (67108864)
  EDGE_CONNECTIONS_PER_ADDRESS  connections of one address on each port, 0: any number (1000)
  EDGE_TLS_CACHE_HOSTS       hosts whose certificates are kept ready, 45 kB each (3000)
  ACME_DIRECTORY_URL         certificate authority for custom domains, or several, separated by
                             commas, in order (Let's Encrypt, whose terms are agreed to by using it)
  ACME_EAB_KID               ids of external accounts, one for each authority (none)
  ACME_EAB_HMAC_KEY          their keys in base64url, one for each authority (none)
  ACME_PROFILE               profiles of certificates, one for each authority (its own choice)
  ACME_ORDERS_PER_3_HOURS    orders of an account, one entry for each authority (300)
  ACME_STAGING_DIRECTORY_URL where certificates that failed are tried first (none)
  ACME_CA_FILE               PEM of extra roots to trust them by (none)
  ACME_EMAIL                 where the authority may write (none)
  ACME_CAA_IDENTITIES        names by which CAA records know the authority, separated by commas,
                             and by ; from those of the next one (as it says itself)
  ACME_CHALLENGES            http-01, tls-alpn-01, in the order in which they are tried (both); for
                             all authorities, or by ; from those of the next one
  DNS_SERVERS                resolvers for custom domains, ip:port, separated by commas (the
                             system's)
  DNS_WATCH_RESOLVERS        resolvers whose answers are shown as well while a domain moves,
                             ip:port, separated by commas (none)
  DNS_AUTHORITATIVE_PORT     port at which the name servers of their zones are asked (53)
  DNS_PRIVATE_SERVERS        allow: those, and hosts that a domain moves from, may be on this
                             machine and in its private network (refuse)
  DNS_ZONE                   the zone that the dashboard answers for itself, such as
                             acme.docs.example.com (none)
  DNS_HOST                   addresses on which it answers, separated by commas (127.0.0.1)
  DNS_PORT                   port on which it answers, UDP and TCP; 0 picks a free one (53)
  DNS_ADDRESSES              addresses at which others reach that, separated by commas (DNS_HOST)
  DNS_RESPONSES_PER_SECOND   responses to one network over UDP; 0: any number (200)
  DOMAIN_CONNECT_PROVIDER_ID the domain name by which DNS providers know the dashboard, where they
                             have taken its templates; needs DNS_ZONE (none)
  DOMAIN_CONNECT_PROVIDER_NAME
                             its name for people (the domain name)
  CT_LOG_LIST                a file that lists Certificate Transparency logs; the dashboard searches
                             them for certificates of custom domains that it did not request (none)
  DASHBOARD_SECRET_KEY       32 bytes in base64 that seal keys in the database (secret.key in the
                             data folder)
  SMTP_URL                   mail server for notices, such as smtp://localhost:25 (none)
  SMTP_FROM                  the address that notices come from
  AUDIT_SYSLOG_URL           syslog receiver that is sent the audit log, such as
                             tls://logs.example.com:6514, tcp:// or udp:// (none)
  AUDIT_SYSLOG_CA_FILE       PEM of extra roots to trust that receiver by (none)
  DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES
                             allow: webhooks may lead to this machine and its private network,
                             and go over http (refuse)
  DASHBOARD_REHEARSAL_HTTP_PORT, DASHBOARD_REHEARSAL_HTTPS_PORT
                             ports of the site that a rehearsal of a move fetches; others than
                             80 and 443 for tests only (80, 443)
  DASHBOARD_GIT              refuse: no project is deployed from a repository (allow)
  DASHBOARD_GIT_POLL_SECONDS how often each repository is asked for new commits (300)
  DASHBOARD_GIT_PRIVATE_ADDRESSES
                             allow: repositories may be on this machine and in its private network
                             (refuse)
  DASHBOARD_GIT_CA_FILE      PEM of extra roots to trust the hosts of repositories by (none)
  DASHBOARD_GIT_MAX_BYTES    bytes of a branch (500000000)
  DASHBOARD_GIT_MAX_FILES    files of a branch (50000)
  DASHBOARD_GIT_SECONDS      how long fetching a branch may take (300)
  DASHBOARD_REQUEST_PROXY    allow: owners may switch on the request proxy of their sites (refuse)
  DASHBOARD_REQUEST_PROXY_NETWORKS
                             private networks that it may call, such as 10.0.0.0/8, separated by
                             commas (none)

For dashboard deploy, previews, versions and access:
  DASHBOARD_URL              address of the dashboard (http://127.0.0.1:8081)
  DASHBOARD_TOKEN            API token, from the dashboard's account page`;

const program = programCommand('dashboard', version, environment).description(
  'Hosts API documentation: projects, deploys, sites.',
);
await addCommands(program, {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(version),
  edge: async () => (await import('./commands/edge.ts')).edgeCommand(version),
  deploy: async () => (await import('./commands/deploy.ts')).deployCommand(),
  dev: async () => (await import('./commands/dev.ts')).devCommand(),
  diff: async () => (await import('./commands/diff.ts')).diffCommand(),
  previews: async () => (await import('./commands/previews.ts')).previewsCommand(),
  versions: async () => (await import('./commands/versions.ts')).versionsCommand(),
  access: async () => (await import('./commands/access.ts')).accessCommand(),
  zone: async () => (await import('./commands/zone.ts')).zoneCommand(),
  'domain-connect': async () =>
    (await import('./commands/domain-connect.ts')).domainConnectCommand(),
  'ct-logs': async () => (await import('./commands/ct-logs.ts')).ctLogsCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  backup: async () => (await import('./commands/backup.ts')).backupCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  restore: async () => (await import('./commands/restore.ts')).restoreCommand(),
  users: async () => (await import('./commands/users.ts')).usersCommand(),
  tokens: async () => (await import('./commands/tokens.ts')).tokensCommand(),
  scim: async () => (await import('./commands/scim.ts')).scimCommand(),
  quotas: async () => (await import('./commands/quotas.ts')).quotasCommand(),
  plan: async () => (await import('./commands/plan.ts')).planCommand(),
});

await runProgram(program, (error) => {
  if (error instanceof ApiError) return error.message;
  return isUnavailable(error)
    ? `The database is unavailable: it is locked by another program, full, or unreachable (${(error as Error).message}). Try again.`
    : undefined;
});
