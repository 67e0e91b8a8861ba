import { styleText } from 'node:util';
import type { LabFacts } from './page.ts';

/** What the lab prints when it is up: its addresses, how to sign in, what to do first. */
export function banner({
  facts,
  page,
  site,
  httpsPort,
  hint,
}: {
  readonly facts: LabFacts;
  readonly page: string;
  readonly site: string;
  readonly httpsPort: number;
  /** How to install pebble, where it is missing. */
  readonly hint: string | undefined;
}): string {
  const bold = (text: string) => styleText('bold', text);
  const dim = (text: string) => styleText('dim', text);
  const row = (label: string, text: string) => `  ${dim(label.padEnd(9))} ${text}`;
  const name = `docs.${facts.example}`;
  const at = `${name}:${httpsPort}`;
  const run =
    page === 'http://127.0.0.1:8090' ? 'npm run lab --' : `LAB_URL=${page} npm run lab --`;
  return `
${bold('The lab')} ${dim('(custom domains on this computer; nothing leaves it)')}

${row('Lab', `${page}  ${dim('the DNS, and every failure at a click')}`)}
${row('Dashboard', facts.dashboard)}
${row('Sign in', `${bold(facts.email)}  password ${bold(facts.password)}`)}
${row('Site', site)}
${row('Authority', facts.authority)}
${row('Its root', facts.rootFile)}
${hint === undefined ? '' : `${row('', dim(hint))}\n`}
  1. Add ${bold(name)}:  ${facts.dashboard}/projects/${facts.project}/settings/domains
  2. Make it fail:   ${bold(`${run} set ${name} conflict-a`)}  ${dim('then click Verify')}
  3. Make it right:  ${bold(`${run} set ${name} right`)}  ${dim('then click Verify')}
  4. Look:           ${bold(`curl --cacert ${facts.rootFile} --resolve ${at}:127.0.0.1 https://${at}/`)}
                     ${dim(`or https://${at} in a browser that trusts the root (Settings, Certificates, Authorities, Import)`)}

  ${dim(`All there is to try: ${run} scenarios. Stop with Ctrl-C.`)}

`;
}
