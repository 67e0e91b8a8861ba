import { isIP } from 'node:net';
import { isPublicAddress } from '@petstore/http/networks.ts';
import type { Deps } from '../../deps.ts';
import { instant } from '../../schema-types.ts';
import { findCheck } from '../../store/domain-checks.ts';
import { type DomainRow, listDomains } from '../../store/domains.ts';
import { findProjectById } from '../../store/projects.ts';
import { expectationOf } from '../claim.ts';
import { checkDomain, type VerifyDeps } from '../verify-domain.ts';
import { lostHeaders, readHsts } from './compare-headers.ts';
import { comparePages } from './compare-pages.ts';
import {
  CRAWL_BOUNDS,
  crawlLiveSite,
  type LiveSite,
  LiveSiteError,
  PRODUCT,
} from './crawl-live-site.ts';
import { type EdgePorts, visitEdge } from './edge-visitor.ts';
import { judgeRehearsal, replacedOf, type Seen } from './findings.ts';
import { openLiveFetch } from './live-fetch.ts';
import type { RehearsalResult } from './rehearsal.ts';
import { type DnsSurvey, DnsSurveyError, surveyDns } from './survey-dns.ts';

export interface RehearseDeps extends VerifyDeps, Pick<Deps, 'addresses'> {
  readonly edge: EdgePorts;
  /** The roots of certificates, in PEM; undefined: the usual ones. */
  readonly roots: readonly string[] | undefined;
}

/** So many domains of a project are recognized where one redirects to another. */
const MAX_OWN_HOSTS = 200;

/**
 * Plays the move of a domain: looks at its DNS, visits it through the edge, and compares it with the site that is there
 * today. undefined where the domain is gone. Rejects with the reason of the signal.
 */
export async function rehearse(
  deps: RehearseDeps,
  domainId: string,
  onPages: (count: number) => void,
  signal: AbortSignal,
): Promise<RehearsalResult | undefined> {
  const { db, config, now } = deps;
  // Anew, since another site is fetched on the strength of it.
  const domain = await checkDomain(deps, domainId, undefined, signal);
  const check = await findCheck(db, domainId);
  if (!domain || domain.removed_at !== null) return undefined;
  const { hostname } = domain;
  if (check?.points_here === 1) return nothingToMove(`${hostname} leads here already.`);
  if (domain.verified_at === null || check?.challenge_here !== 1) return notProven(hostname);

  const dns = await surveyDns(await expectationOf(db, config, domain), config, signal).catch(
    (error) => {
      if (error instanceof DnsSurveyError) return { problem: error.message };
      throw error;
    },
  );
  const ownHosts = await hostsOf(deps, domain);
  const visitor = await visitEdge({ ...deps, hostname, ownHosts, signal });
  try {
    const front = await visitor.get('/');
    const found = await visitor.find('/');
    const live = await crawl(deps, hostname, dns, onPages, signal);
    const hsts = 'front' in live && live.tls ? hstsOf(live, now()) : null;
    const comparison = 'front' in live ? await comparePages(live, visitor) : live;
    const seen: Seen = {
      ...{ hostname, dns, comparison, hsts },
      certificate: visitor.certificate,
      frontStatus: found.kind === 'missing' ? found.status : 200,
      leadsTo: found.kind === 'moved' && URL.canParse(found.to) ? found.to : undefined,
      lostHeaders: 'front' in live ? lostHeaders(live.front.headers, front.headers) : [],
    };
    return {
      ...judgeRehearsal(seen),
      comparison: 'pages' in comparison ? comparison : null,
      facts: factsOf(seen),
    };
  } finally {
    visitor.close();
  }
}

function nothingToMove(message: string): RehearsalResult {
  return { verdict: 'nothing_to_move', message, findings: [], comparison: null, facts: null };
}

/** Another site is fetched only for whoever controls the name at this moment. */
function notProven(hostname: string): RehearsalResult {
  return {
    verdict: 'not_ready',
    message: 'One thing is missing. Rehearse again when it is done.',
    findings: [
      {
        code: 'not_proven',
        level: 'missing',
        title: 'The record that proves the name is not there',
        message: `A rehearsal fetches the site that is at ${hostname} today, which only whoever controls the name may have done. Nothing was fetched.`,
        remedy: `Create the CNAME record at _acme-challenge.${hostname} that the page of the domain shows. It may stay there after the move.`,
        add: [],
        details: [],
      },
    ],
    comparison: null,
    facts: null,
  };
}

/** The hosts that show the project's sites: redirects to them are followed here. */
async function hostsOf({ db, addresses }: RehearseDeps, domain: DomainRow): Promise<string[]> {
  const project = await findProjectById(db, domain.project_id);
  const domains = await listDomains(db, domain.project_id, { limit: MAX_OWN_HOSTS });
  const platform = project ? [new URL(addresses().site(project.slug)).hostname] : [];
  return [...platform, ...domains.map(({ hostname }) => hostname)];
}

/** The site that is there today. `problem`: why there is none to compare with; empty where there is nothing at all. */
async function crawl(
  { config, addresses }: RehearseDeps,
  hostname: string,
  dns: DnsSurvey | { readonly problem: string },
  onPages: (count: number) => void,
  signal: AbortSignal,
): Promise<LiveSite | { readonly problem: string }> {
  if ('problem' in dns || dns.addresses.length === 0) return { problem: '' };
  const { rehearsal, dnsPrivateServers } = config;
  const isAllowed = (address: string) => dnsPrivateServers === 'allow' || isPublicAddress(address);
  const usable = dns.addresses.filter(isAllowed);
  if (usable.length === 0)
    return {
      problem: `${hostname} leads to ${dns.addresses[0]}, which is not an address of the internet. (Whoever runs this may allow others: DNS_PRIVATE_SERVERS.)`,
    };
  const byteBudget = { left: CRAWL_BOUNDS.bytes };
  const fetch = openLiveFetch({
    addresses: usable.map((address) => ({ address, family: isIP(address) })),
    userAgent: `${PRODUCT}/0.1 (+${addresses().dashboard})`,
    ...{ byteBudget, signal },
  });
  try {
    return await crawlLiveSite({
      ports: { http: rehearsal.httpPort, https: rehearsal.httpsPort },
      bounds: CRAWL_BOUNDS,
      ...{ hostname, fetch, byteBudget, signal, onPages },
    });
  } catch (error) {
    if (error instanceof LiveSiteError) return { problem: error.message };
    throw error;
  } finally {
    fetch.close();
  }
}

function hstsOf({ front }: LiveSite, at: number): Seen['hsts'] {
  const hsts = readHsts(front.headers['strict-transport-security']);
  return hsts ? { ...hsts, until: instant(at + hsts.maxAgeSeconds * 1_000) } : null;
}

function factsOf({ certificate, hsts, dns }: Seen): RehearsalResult['facts'] {
  const isKnown = !('problem' in dns);
  return {
    certificate: certificate
      ? { issuer: certificate.issuer, notAfter: instant(certificate.notAfter) }
      : null,
    hsts,
    replaced: isKnown ? replacedOf(dns.replaced) : null,
    oldAddresses: isKnown ? [...dns.addresses] : [],
    ourAddresses: isKnown ? [...dns.ourAddresses] : [],
  };
}
