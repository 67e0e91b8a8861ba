import { type Env, mustBe, text } from '@petstore/service/environment.ts';
import { canonicalHost } from '../edge/host.ts';
import type { ZoneConfig } from '../zone/zone-config.ts';

/** How DNS providers know this installation (draft-ietf-dconn-domainconnect). */
export interface DomainConnectConfig {
  /** A domain name, such as `docs.example.com`. */
  readonly providerId: string;
  /** For people, on the provider's pages. */
  readonly providerName: string;
}

/** Reads DOMAIN_CONNECT_PROVIDER_ID and what belongs to it; undefined where it is unset. Throws UserError. */
export function readDomainConnect(
  env: Env,
  zone: ZoneConfig | undefined,
): DomainConnectConfig | undefined {
  const name = 'DOMAIN_CONNECT_PROVIDER_ID';
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  // Templates are kept in files of this name, which are in lower case.
  if (canonicalHost(raw) !== raw) throw mustBe(name, 'a domain name of yours in lower case', raw);
  if (!zone)
    throw mustBe(name, 'unset without DNS_ZONE, where providers find the key of requests', raw);
  return { providerId: raw, providerName: text(env, 'DOMAIN_CONNECT_PROVIDER_NAME') ?? raw };
}
