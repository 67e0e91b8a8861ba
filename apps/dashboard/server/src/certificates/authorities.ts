import type { AcmeConfig, AuthorityConfig } from '../config-acme.ts';
import type { CertificateRow } from '../store/certificates.ts';

/**
 * What is known of authorities, by the hosts of their directories. `identities`: their names in CAA records, used before
 * there is an account, and for directories without `caaIdentities` (RFC 8555, section 7.1.1).
 */
const KNOWN: Readonly<Record<string, { name: string; identities: readonly string[] }>> = {
  'acme-v02.api.letsencrypt.org': { name: "Let's Encrypt", identities: ['letsencrypt.org'] },
  'acme-staging-v02.api.letsencrypt.org': {
    name: "Let's Encrypt's staging directory",
    identities: ['letsencrypt.org'],
  },
  'acme.zerossl.com': { name: 'ZeroSSL', identities: ['sectigo.com'] },
  'dv.acme-v02.api.pki.goog': { name: 'Google Trust Services', identities: ['pki.goog'] },
  'acme.ssl.com': { name: 'SSL.com', identities: ['ssl.com'] },
  'api.buypass.com': { name: 'Buypass', identities: ['buypass.com'] },
};

/** No authority is chosen yet. */
export const ANY_DIRECTORY = '';

/** For an unknown authority; ACME_CAA_IDENTITIES sets the right one. */
const UNKNOWN = ['letsencrypt.org'];

/** The name of an authority for people: that of its company, or the host of its directory. */
export function authorityName(directoryUrl: string): string {
  const { hostname, host } = new URL(directoryUrl);
  return KNOWN[hostname]?.name ?? host;
}

/** By which names CAA records know an authority. `said`: those that its directory has. */
export function caaIdentities(
  {
    directoryUrl,
    caaIdentities: configured,
  }: Pick<AuthorityConfig, 'directoryUrl' | 'caaIdentities'>,
  said: readonly string[],
): readonly string[] {
  const listed = [configured, said].find(({ length }) => length > 0);
  return listed ?? KNOWN[new URL(directoryUrl).hostname]?.identities ?? UNKNOWN;
}

/** The authority of a directory. The staging directory has the settings of the first one, without its external account; undefined: it is not configured. */
export function authorityAt(
  { authorities, stagingDirectoryUrl }: AcmeConfig,
  directoryUrl: string,
): AuthorityConfig | undefined {
  if (directoryUrl === stagingDirectoryUrl)
    return { ...authorities[0], directoryUrl, eab: undefined };
  return authorities.find((authority) => authority.directoryUrl === directoryUrl);
}

/** The directory of the authority that issued a certificate. One from before there were several is of the first. */
export function issuerOf(
  { directory_url }: Pick<CertificateRow, 'directory_url'>,
  { authorities: [first] }: AcmeConfig,
): string {
  return directory_url ?? first.directoryUrl;
}
