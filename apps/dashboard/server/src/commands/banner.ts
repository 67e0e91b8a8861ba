import { isIP } from 'node:net';
import { styleText } from 'node:util';
import type { DnsRecord } from '../domains/verdict.ts';

export interface BannerFacts {
  readonly version: string;
  /** The dashboard's address. */
  readonly url: string;
  /** The address of sites, with {slug} in it. */
  readonly sites: string;
  /** The address of custom domains over TLS. */
  readonly httpsPort: number;
  /** Where metrics and readiness are; undefined: nowhere. */
  readonly operatorPort: number | undefined;
  /** Where the data is, for a person. */
  readonly data: string;
  /** Whether anyone has an account. */
  readonly hasUsers: boolean;
  /** undefined: it is not served at names of its own. */
  readonly own: OwnFacts | undefined;
}

/** Of `dashboard serve --domain`. */
export interface OwnFacts {
  /** Where it is reached without TLS, to set it up. */
  readonly localUrl: string;
  /** The API's address, and where it is passed to. */
  readonly api: { readonly url: string; readonly target: string } | undefined;
  /** What the DNS has to have, of the names that have no certificate yet. */
  readonly records: readonly Pick<DnsRecord, 'name' | 'type' | 'value'>[];
  /** Whether the dashboard has its certificate, so that HTTPS works. */
  readonly hasCertificate: boolean;
}

/** What the service prints when it is up: its addresses, and what to do first. */
export function banner({
  version,
  url,
  sites,
  httpsPort,
  operatorPort,
  data,
  hasUsers,
  own,
}: BannerFacts): string {
  const domains = own ? 'at names of their own, over HTTPS' : `over TLS on port ${httpsPort}`;
  const lines = [
    `${bold('Dashboard')} ${version}`,
    '',
    `  ${dim('Dashboard')} ${url}`,
    `  ${dim('Sites    ')} ${sites.replace('{slug}', 'PROJECT')}`,
    ...(own?.api ? [`  ${dim('API      ')} ${own.api.url}, from ${own.api.target}`] : []),
    `  ${dim('Domains  ')} ${domains}`,
    ...(operatorPort === undefined
      ? []
      : [`  ${dim('Operator ')} /metrics and /readyz on port ${operatorPort}`]),
    `  ${dim('Data     ')} ${data}`,
    '',
    ...(own && own.records.length > 0 ? setUp(own) : []),
    ...(hasUsers ? [`  Sign in:  ${bold(`${url}/sign-in`)}`] : firstAccount(url, own)),
    '',
    ...firstDeploy(url, 'dashboard'),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

const bold = (text: string) => styleText('bold', text);
const dim = (text: string) => styleText('dim', text);

/** What is to be done in the DNS before there is a certificate. */
function setUp({ records, localUrl, hasCertificate }: OwnFacts): string[] {
  const widest = Math.max(...records.map(({ name }) => name.length)) + 1;
  const what = hasCertificate ? 'The API is there' : 'HTTPS begins';
  return [
    `  ${what} within a minute once ${records.length === 1 ? 'this record is' : 'these records are'} in the DNS:`,
    '',
    ...records.map(
      ({ name, type, value }) =>
        `  ${`${name}.`.padEnd(widest)}  ${type.padEnd(5)}  ${isIP(value) === 0 ? `${value}.` : value}`,
    ),
    '',
    ...(hasCertificate ? [] : untilThen(localUrl)),
  ];
}

function untilThen(localUrl: string): string[] {
  return [
    `  Until then the dashboard is here alone, where Account, DNS zone checks them:  ${bold(localUrl)}`,
    ...(isLoopback(localUrl) ? [`  ${dim(tunnel(localUrl))}`] : []),
    '',
  ];
}

function firstAccount(url: string, own: OwnFacts | undefined): string[] {
  const at = own ? own.localUrl : url;
  return [
    `  Nobody has an account yet, and the first one owns the installation:  ${bold(`${at}/sign-up`)}`,
    ...(own && isLoopback(at) && own.hasCertificate ? [`  ${dim(tunnel(at))}`] : []),
    ...(own ? ['  Or here: dashboard users create --email EMAIL --password-stdin'] : []),
  ];
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127\.|\[::1\])/.test(new URL(url).hostname);
}

/** How a browser on another machine reaches what listens on this one alone. */
function tunnel(url: string): string {
  const { port } = new URL(url);
  return `From another machine: ssh -L ${port}:127.0.0.1:${port} THIS_SERVER, and the same address there.`;
}

/** How to deploy to the dashboard at `url` from a terminal; `program` is the name of the command there. */
export function firstDeploy(url: string, program: string): string[] {
  return [
    `  Deploy from a terminal, with a token of ${url}/account/tokens:`,
    '',
    `  DASHBOARD_URL=${url} DASHBOARD_TOKEN=dash_… ${program} deploy --project PROJECT openapi.yaml`,
  ];
}
