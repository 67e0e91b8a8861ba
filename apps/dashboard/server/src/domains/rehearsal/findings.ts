import { count } from '@petstore/service/text.ts';
import type { ResourceRecord } from '../dns/outcome.ts';
import { duration, line, listed } from '../dns/words.ts';
import type { LostHeader } from './compare-headers.ts';
import type { ShownCertificate } from './edge-visitor.ts';
import {
  type Comparison,
  FINDING_CODES,
  type Finding,
  type RehearsalFacts,
  type RehearsalResult,
} from './rehearsal.ts';
import type { DnsSurvey } from './survey-dns.ts';

/** All that a rehearsal saw; the parts that could not be had have the reason in a sentence. */
export interface Seen {
  readonly hostname: string;
  readonly dns: DnsSurvey | { readonly problem: string };
  readonly certificate: ShownCertificate | undefined;
  /** The status of the future site's front page. */
  readonly frontStatus: number;
  /** The address on another host to which the front page redirects; undefined: this one serves it itself. */
  readonly leadsTo: string | undefined;
  readonly comparison: Comparison | { readonly problem: string };
  readonly hsts: RehearsalFacts['hsts'];
  readonly lostHeaders: readonly LostHeader[];
}

/** Above this, a step back takes long as well; panels offer it everywhere. */
const SHORT_TTL = 300;

/** The verdict on what a rehearsal saw: what is missing for the move, and what is good to know, in order. */
export function judgeRehearsal(
  seen: Seen,
): Pick<RehearsalResult, 'verdict' | 'message' | 'findings'> {
  const findings = [
    ...certificateFindings(seen),
    ...siteFindings(seen),
    ...dnsFindings(seen),
    ...pageFindings(seen),
    ...headerFindings(seen),
  ].toSorted((a, b) => FINDING_CODES.indexOf(a.code) - FINDING_CODES.indexOf(b.code));
  const missing = findings.filter(({ level }) => level === 'missing').length;
  return {
    verdict: missing === 0 ? 'ready' : 'not_ready',
    message: missing === 0 ? readyWords(seen) : notReadyWords(missing),
    findings,
  };
}

function readyWords({ hostname, comparison }: Seen): string {
  const pages = 'pages' in comparison ? comparison.pages.length : 0;
  const compared =
    pages === 0
      ? ''
      : pages === 1
        ? ' The one address that was looked at is here, too.'
        : ` All ${pages} addresses that were looked at are here, too.`;
  return `Change the record of ${hostname} whenever you like.${compared}`;
}

function notReadyWords(missing: number): string {
  return missing === 1
    ? 'One thing is missing. Rehearse again when it is done.'
    : `${missing} things are missing. Begin with the first, and rehearse again when they are done.`;
}

type Parts = Pick<Finding, 'code' | 'title' | 'message' | 'remedy'> & Partial<Finding>;

const missing = (parts: Parts): Finding => ({ level: 'missing', add: [], details: [], ...parts });
const advice = (parts: Parts): Finding => ({ level: 'advice', add: [], details: [], ...parts });

function certificateFindings({ hostname, certificate, hsts }: Seen): Finding[] {
  if (!certificate) {
    const strict = hsts
      ? ` The old host sets HSTS, so that nobody could click the warning away.`
      : '';
    return [
      missing({
        code: 'no_certificate',
        title: 'There is no certificate yet',
        message: `Visitors who come over HTTPS would see a warning.${strict}`,
        remedy: `The page of ${hostname} shows how far its certificate is, and what it waits for.`,
      }),
    ];
  }
  if (certificate.problem === null) return [];
  return [
    missing({
      code: 'certificate_refused',
      title: 'Browsers would refuse the certificate',
      message: `The certificate of ${certificate.issuer} does not pass the check of a browser (${certificate.problem}).`,
      remedy:
        'If the authority is a private one, whoever runs this dashboard has to name its root in ACME_CA_FILE. Otherwise tell them: a certificate of a staging authority is for tests only.',
    }),
  ];
}

function siteFindings({ hostname, frontStatus, leadsTo }: Seen): Finding[] {
  const findings: Finding[] = [];
  if (frontStatus !== 200)
    findings.push(
      missing({
        code: 'site_not_served',
        title: 'The site has no front page here',
        message: `The front page of ${hostname} answers with ${frontStatus} here.`,
        remedy: 'Deploy the site, or put a deploy live that has a front page.',
      }),
    );
  if (leadsTo !== undefined)
    findings.push(
      advice({
        code: 'leads_elsewhere',
        title: `Visitors are led on to ${new URL(leadsTo).hostname}`,
        message: `After the move, ${hostname} redirects to ${leadsTo}: another domain is the primary one of the project, or this one has a redirect.`,
        remedy: `To have ${hostname} show the site itself, make it the primary domain once it leads here, or remove its redirect.`,
      }),
    );
  return findings;
}

function dnsFindings({ hostname, dns }: Seen): Finding[] {
  if ('problem' in dns)
    return [
      missing({
        code: 'dns_error',
        title: 'The DNS did not answer',
        message: dns.problem,
        remedy: 'Press Verify on the page of the domain, which says more, and rehearse again.',
      }),
    ];
  const { lost, caa, replaced, addresses, ourAddresses, isWholeTtl } = dns;
  const findings: Finding[] = [];
  if (caa)
    findings.push(
      missing({
        code: 'caa_blocks',
        title: 'A CAA record forbids the next certificate',
        message: caa.message,
        remedy: caa.remedy,
        add: caa.add,
      }),
    );
  const mail = lost.filter(({ type }) => type === 'MX');
  if (mail.length > 0)
    findings.push(
      missing({
        code: 'mail_lost',
        title: `Mail to ${hostname} would end`,
        message: `${hostname} receives mail, and a CNAME cannot be beside an MX record.`,
        remedy: `If nobody writes to addresses at ${hostname}, remove ${mail.length === 1 ? 'the MX record' : 'the MX records'}. Otherwise move the mail to another name first, or choose another name for the site.`,
        details: mail.map(line),
      }),
    );
  const others = lost.filter(({ type }) => type !== 'MX');
  if (others.length > 0)
    findings.push(
      advice({
        code: 'records_lost',
        title: `${listed([...new Set(others.map(({ type }) => type))])} records would be lost`,
        message: `A CNAME cannot be beside other records at ${hostname}, so these have to go.`,
        remedy:
          'Ask whoever created them. Proofs of ownership for other services can mostly be renewed by a file or a meta tag, or at another name.',
        details: others.map(line),
      }),
    );
  if (replaced && replaced.ttl > SHORT_TTL)
    findings.push(
      advice({
        code: 'long_ttl',
        title: `Resolvers keep the old record for ${duration(replaced.ttl)}`,
        message: `Its TTL is ${replaced.ttl} seconds${isWholeTtl ? '' : ' or more'}. For as long after the change some visitors still reach the old host, and a step back takes as long.`,
        remedy: `Set the TTL to ${SHORT_TTL} now, wait for ${duration(replaced.ttl)}, and change the record then. Leave the old host on until everyone has the new one.`,
        details: [`${line(replaced)}, TTL ${replaced.ttl}`],
      }),
    );
  const isV6 = (address: string) => address.includes(':');
  if (addresses.some(isV6) && !ourAddresses.some(isV6))
    findings.push(
      advice({
        code: 'ipv6_lost',
        title: 'The old host has IPv6, this one has not',
        message: `${hostname} has AAAA records now. The host here has none, so visitors who have IPv6 alone would not reach it.`,
        remedy:
          'Ask whoever runs this dashboard for IPv6. The old AAAA records have to go all the same.',
        details: addresses.filter(isV6),
      }),
    );
  return findings;
}

function pageFindings({ comparison }: Seen): Finding[] {
  if ('problem' in comparison)
    return comparison.problem === ''
      ? []
      : [
          missing({
            code: 'not_compared',
            title: 'The pages could not be compared',
            message: comparison.problem,
            remedy:
              'Check that the old site answers, then rehearse again. If it is gone for good, there is nothing to compare, and you can move.',
          }),
        ];
  const findings: Finding[] = [];
  const { cutBy, excluded, pages, missing: lost, redirects } = comparison;
  if (lost > 0) {
    const suggested = pages.filter(({ suggestion }) => suggestion !== null).length;
    findings.push(
      missing({
        code: 'pages_missing',
        title: `${lost === 1 ? 'One address leads' : `${lost} addresses lead`} nowhere here`,
        message:
          'The old site has them, so links, bookmarks and search engines lead to them. Here they answer with 404.',
        remedy:
          redirects === ''
            ? 'Add a redirect to docs.yaml for each that matters, and deploy.'
            : suggested === lost
              ? 'Add the redirects below to docs.yaml, and deploy.'
              : `Add the redirects below to docs.yaml, and deploy. ${lost - suggested === 1 ? 'One has no page here that is alike: choose where it leads.' : `${lost - suggested} have no page here that is alike: choose where they lead.`}`,
      }),
    );
  }
  if (cutBy !== null || excluded > 0)
    findings.push(
      advice({
        code: 'partly_compared',
        title: 'Not every address was compared',
        message: [
          ...(cutBy === null ? [] : [CUT_WORDS[cutBy]]),
          ...(excluded === 0
            ? []
            : [
                `The robots.txt of the old site excludes ${excluded === 1 ? 'one address' : `${excluded} addresses`}.`,
              ]),
        ].join(' '),
        remedy:
          cutBy === null
            ? 'To have them compared, allow petstore-dashboard-rehearsal in robots.txt.'
            : 'The most important pages come first: those of the front page and of the sitemap.',
      }),
    );
  return findings;
}

const CUT_WORDS = {
  addresses: 'The old site has more addresses than a rehearsal looks at (500).',
  time: 'The old site answers slowly: the time of a rehearsal (a minute) was over before all addresses were seen.',
  bytes:
    'The pages of the old site are large: as much as a rehearsal reads (20 MB) was read before all were seen.',
  failures: 'The old site failed or refused several times in a row, and was left alone.',
} as const;

function headerFindings({ hostname, hsts, lostHeaders: lost }: Seen): Finding[] {
  const findings: Finding[] = [];
  if (hsts) {
    const days = Math.ceil(hsts.maxAgeSeconds / 86_400);
    findings.push(
      advice({
        code: 'hsts',
        title: `The old host set HSTS for ${count(days, 'day')}`,
        message: `Browsers that were there today refuse ${hostname}${hsts.includesSubdomains ? ' and all its subdomains' : ''} without HTTPS until ${hsts.until.slice(0, 10)}. There is no step back to plain HTTP before.${hsts.isPreload ? ' It asks for a place in the list that browsers bring with them (preload), which has no end.' : ''}`,
        remedy:
          'Nothing is needed for the move: the certificate is here. To keep the protection, switch HSTS on here as well, once the name leads here.',
      }),
    );
  }
  if (lost.length > 0)
    findings.push(
      advice({
        code: 'headers_lost',
        title: `${count(lost.length, 'header')} of the old host ${lost.length === 1 ? 'is' : 'are'} not sent here`,
        message: `With ${lost.length === 1 ? 'it' : 'them'} the old host says ${listed(lost.map(({ about }) => about))}.`,
        remedy: 'Mostly nothing is to be done. Check those that somebody relies on.',
        details: lost.map(({ name, value }) => `${name}: ${value}`),
      }),
    );
  return findings;
}

/** The record that the move replaces, for the result. */
export function replacedOf(record: ResourceRecord | undefined): RehearsalFacts['replaced'] {
  return record
    ? { type: record.type, name: record.name, value: record.value, ttl: record.ttl }
    : null;
}
