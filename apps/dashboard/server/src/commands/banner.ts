import { styleText } from 'node:util';

export interface BannerFacts {
  readonly version: string;
  /** The dashboard's address. */
  readonly url: string;
  /** The address of sites, with {slug} in it. */
  readonly sites: string;
  /** The address of custom domains over TLS. */
  readonly httpsPort: number;
  /** Where the data is, for a person. */
  readonly data: string;
  /** Whether anyone has an account. */
  readonly hasUsers: boolean;
}

/** What the service prints when it is up: its addresses, and what to do first. */
export function banner({ version, url, sites, httpsPort, data, hasUsers }: BannerFacts): string {
  const bold = (text: string) => styleText('bold', text);
  const dim = (text: string) => styleText('dim', text);
  const lines = [
    `${bold('Dashboard')} ${version}`,
    '',
    `  ${dim('Dashboard')} ${url}`,
    `  ${dim('Sites    ')} ${sites.replace('{slug}', 'PROJECT')}`,
    `  ${dim('Domains  ')} over TLS on port ${httpsPort}`,
    `  ${dim('Data     ')} ${data}`,
    '',
    hasUsers
      ? `  Sign in:  ${bold(`${url}/sign-in`)}`
      : `  Nobody has an account yet, and the first one owns the installation:  ${bold(`${url}/sign-up`)}`,
    '',
    ...firstDeploy(url, 'dashboard'),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** How to deploy to the dashboard at `url` from a terminal; `program` is the name of the command there. */
export function firstDeploy(url: string, program: string): string[] {
  return [
    `  Deploy from a terminal, with a token of ${url}/account/tokens:`,
    '',
    `  DASHBOARD_URL=${url} DASHBOARD_TOKEN=dash_… ${program} deploy --project PROJECT openapi.yaml`,
  ];
}
