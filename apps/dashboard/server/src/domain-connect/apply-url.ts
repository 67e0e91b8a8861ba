import { randomId } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import type { Deps } from '../deps.ts';
import { challengeLabelOf, isApex, isHeldElsewhere, PROOF_PREFIX } from '../domains/claim.ts';
import { isWildcard } from '../domains/wildcard.ts';
import type { DomainRow } from '../store/domains.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import { type DnsProvider, findDnsProvider, hasTemplate } from './dns-provider.ts';
import { signedQuery, signingKey } from './signing-key.ts';
import type { Group, ServiceId } from './templates.ts';

/** Where the records of a domain can be created at its DNS provider. */
export interface Offer {
  /** The provider's name, for people. */
  readonly provider: string;
  /** Where the owner of the DNS agrees to the records. */
  readonly applyUrl: string;
  /** What the provider gives back: whoever did not begin there is not believed. */
  readonly state: string;
}

/** How often the members of a project may ask in a window: each has two requests sent to wherever a zone says. */
const LIMIT = { limit: 30, windowMs: 60_000 };

/**
 * The offer for a domain; undefined where there is none. Rejects where the store is unavailable, and with ApiError
 * `rate_limited` where there were too many.
 */
export async function offerFor(
  deps: Pick<Deps, 'config' | 'db' | 'addresses' | 'now' | 'sealer'>,
  { id: projectId, slug }: Pick<ProjectRow, 'id' | 'slug'>,
  domain: DomainRow,
): Promise<Offer | undefined> {
  const { config, db, now } = deps;
  const { domainConnect } = config;
  // A template is applied at a host, and the challenges of a wildcard are at the name above.
  if (!domainConnect || isWildcard(domain.hostname)) return undefined;
  const tooOften = () => 'The DNS provider was asked for too often. Try again in a minute.';
  await limitRate(db, `domain-connect:${projectId}`, LIMIT, now(), tooOften);
  const serviceId: ServiceId = isApex(domain) ? 'docs-apex' : 'docs';
  const provider = await findDnsProvider(domain.hostname, config);
  if (!provider) return undefined;
  const host = hostIn(provider, domain);
  // A zone of its own for what is no registered name: the record is a CNAME, which its apex cannot have.
  if ((host === '') !== (serviceId === 'docs-apex')) return undefined;
  const { providerId } = domainConnect;
  if (!(await hasTemplate(provider, providerId, serviceId, config))) return undefined;
  const state = randomId(32);
  const page = `/projects/${encodeURIComponent(slug)}/settings/domains/${encodeURIComponent(domain.hostname)}`;
  const query = queryOf({
    domain: provider.zone,
    host,
    target: domain.target_label,
    challenge: challengeLabelOf(domain),
    proof: domain.proof.slice(PROOF_PREFIX.length),
    groupId: (await groupsFor(db, domain)).join(','),
    redirect_uri: deps.addresses().dashboard + page,
    state,
  });
  const signed = signedQuery(query, await signingKey(deps));
  const path = `/v2/domainTemplates/providers/${providerId}/services/${serviceId}/apply`;
  return { provider: provider.name, applyUrl: `${provider.urlSyncUX}${path}?${signed}`, state };
}

/** Which records the domain needs next: one that is prepared gets its address record once it has been proved. */
async function groupsFor(db: Db, domain: DomainRow): Promise<Group[]> {
  const { prepare, verified_at, awaits_move } = domain;
  if (prepare === 1 && verified_at === null) return ['challenge'];
  if (awaits_move === 1) return ['address'];
  const isProofNeeded = isApex(domain) || (await isHeldElsewhere(db, domain));
  return [
    'address',
    ...(prepare === 1 ? (['challenge'] as const) : []),
    ...(isProofNeeded ? (['proof'] as const) : []),
  ];
}

function hostIn({ zone }: DnsProvider, { hostname }: DomainRow): string {
  return hostname === zone ? '' : hostname.slice(0, -zone.length - 1);
}

/** Written as it is signed: the signature is over these very bytes. */
function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
