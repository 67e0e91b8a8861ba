import { PROOF_PREFIX } from '../domains/claim.ts';
import { PROOF_LABEL } from '../domains/hostname.ts';
import type { ZoneConfig } from '../zone/zone-config.ts';
import type { DomainConnectConfig } from './config.ts';

/** A template as providers take it (section "Template Definition" of the draft). */
export interface Template {
  readonly providerId: string;
  readonly serviceId: ServiceId;
  readonly [field: string]: unknown;
}

/** A name below a zone's apex, and the apex, which cannot have a CNAME. */
const SERVICE_IDS = ['docs', 'docs-apex'] as const;
export type ServiceId = (typeof SERVICE_IDS)[number];

/** The parts of a template that are applied together or alone. */
export type Group = 'address' | 'challenge' | 'proof';

const TTL = 3_600;

/** Increased whenever the records of a template change. */
const VERSION = 1;

export interface TemplateConfig {
  readonly domainConnect: DomainConnectConfig;
  readonly dnsZone: ZoneConfig;
  readonly platformHost: string;
  /** Where people come back to. */
  readonly dashboardHost: string;
}

/**
 * The templates of this installation, which its operator hands in at the public repository. Their values are fixed but
 * for one label each, and every request has to be signed: a link cannot lead a name elsewhere.
 */
export function templatesOf(config: TemplateConfig): Template[] {
  return SERVICE_IDS.map((serviceId) => templateOf(serviceId, config));
}

/** The file in which the repository keeps a template. */
export function fileNameOf({ providerId, serviceId }: Template): string {
  return `${providerId}.${serviceId}.json`;
}

function templateOf(
  serviceId: ServiceId,
  { domainConnect, dnsZone, platformHost, dashboardHost }: TemplateConfig,
): Template {
  const isApex = serviceId === 'docs-apex';
  const target = `%target%.${platformHost}`;
  return {
    providerId: domainConnect.providerId,
    providerName: domainConnect.providerName,
    serviceId,
    serviceName: isApex ? 'Documentation at the domain itself' : 'Documentation',
    version: VERSION,
    description: 'Leads a name to a documentation site, and proves who has the name.',
    variableDescription:
      'target: the label of the site; challenge: the label under which certificates are validated; proof: a random text',
    syncPubKeyDomain: dnsZone.name,
    syncRedirectDomain: dashboardHost,
    ...(!isApex && { hostRequired: true }),
    records: [
      // The type by which providers know ALIAS, ANAME and flattened CNAMEs.
      {
        ...{ type: isApex ? 'APEXCNAME' : 'CNAME', groupId: 'address' },
        ...(!isApex && { host: '@' }),
        ...{ pointsTo: target, ttl: TTL },
      },
      {
        ...{ type: 'CNAME', groupId: 'challenge', host: '_acme-challenge' },
        ...{ pointsTo: `%challenge%.${dnsZone.name}`, ttl: TTL },
      },
      {
        ...{ type: 'TXT', groupId: 'proof', host: PROOF_LABEL },
        ...{ data: `${PROOF_PREFIX}%proof%`, ttl: TTL, txtConflictMatchingMode: 'None' },
      },
    ],
  };
}
