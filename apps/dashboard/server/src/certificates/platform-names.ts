import type { Config } from '../config.ts';
import { PLATFORM } from '../store/acme-orders.ts';
import { PETSTORE_LABEL, PLATFORM_LABEL, wildcardOf } from '../zone/zone-records.ts';

type NamesConfig = Pick<Config, 'platformHost' | 'dnsZone' | 'domain'>;

/** A certificate of the installation's own. */
export interface PlatformCertificate {
  /** Its key in the store. */
  readonly hostname: string;
  /** What it is for. */
  readonly names: readonly string[];
  /** The name that is proven: the challenges of a wildcard are at the name that it is below. */
  readonly host: string;
  /** The label of its challenges in the installation's zone. */
  readonly label: string;
  /** Whether the names can be proven by DNS-01 in the installation's zone alone, as those of a wildcard can. */
  readonly needsZone: boolean;
  /** In place of a domain, for its orders and its sealed keys. */
  readonly id: string;
}

/** The certificates that an installation obtains for names of its own. */
export function platformCertificates(config: NamesConfig): PlatformCertificate[] {
  const { dnsZone, domain } = config;
  const petstore = domain?.petstore?.name;
  return [
    ...(dnsZone ? [wildcardCertificate(config)] : []),
    ...(petstore === undefined
      ? []
      : [
          {
            ...{ hostname: petstore, names: [petstore], host: petstore, label: PETSTORE_LABEL },
            ...{ needsZone: false, id: `${PLATFORM} ${petstore}` },
          },
        ]),
  ];
}

/** The certificate of all sites; and of the dashboard, where it has the name above them. */
export function wildcardCertificate({ platformHost, domain }: NamesConfig): PlatformCertificate {
  const hostname = wildcardOf(platformHost);
  return {
    ...{ hostname, names: domain ? [platformHost, hostname] : [hostname], host: platformHost },
    ...{ label: PLATFORM_LABEL, needsZone: true, id: PLATFORM },
  };
}
