import type { Config } from '../config.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { DomainRow } from '../store/domains.ts';
import { recordsToCreate } from './dns/records.ts';
import { PROOF_LABEL } from './hostname.ts';
import type { DnsRecord } from './verdict.ts';

/** The host under the platform's that is this claim's own. */
export function targetOf(
  { target_label }: Pick<DomainRow, 'target_label'>,
  { platformHost }: Pick<Config, 'platformHost'>,
): CanonicalHost {
  return `${target_label}.${platformHost}` as CanonicalHost;
}

/** The TXT record that proves ownership of a name. */
export function proofOf({ hostname, proof }: Pick<DomainRow, 'hostname' | 'proof'>) {
  return { name: `${PROOF_LABEL}.${hostname}`, value: proof };
}

/** The records to create for a claim. */
export function recordsOf(
  domain: DomainRow,
  config: Pick<Config, 'platformHost'>,
  isProofNeeded: boolean,
): DnsRecord[] {
  return recordsToCreate({
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: isProofNeeded ? proofOf(domain) : undefined,
  });
}
