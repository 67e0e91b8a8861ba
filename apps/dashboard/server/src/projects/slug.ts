import { invalidRequest } from '../api-error.ts';

/** Short enough that a preview's label, with a deploy's id, keeps to the 63 characters of RFC 1035. */
const MAX_SLUG_LENGTH = 40;

/** Names by which people could reach an installation, or somebody who imitates it. */
const RESERVED = new Set(
  `about account accounts acme admin administrator api app apps assets auth autoconfig autodiscover billing
  blog cdn cname console dashboard dns docs edge email ftp help home host hosting imap internal invitations
  isatap localhost login logout mail metrics mta-sts ns ns1 ns2 ns3 ns4 platform pop pop3 postmaster
  preview previews project projects root security settings sign-in sign-up signin signup site sites smtp
  ssl static status support system test token tokens tls user users webmail wpad www www1 www2`.split(
    /\s+/,
  ),
);

/** Throws, with the reason, for text that cannot be the first label of a site's host name. */
export function checkSlug(slug: string): void {
  const why = reasonAgainst(slug);
  if (why !== undefined) throw invalidRequest(`slug ${why}`);
}

/** Whether a project could have the slug. For any other one the store need not be asked. */
export function isSlug(slug: string): boolean {
  return reasonAgainst(slug) === undefined;
}

function reasonAgainst(slug: string): string | undefined {
  if (slug.length === 0 || slug.length > MAX_SLUG_LENGTH) {
    return `must be 1 to ${MAX_SLUG_LENGTH} characters long; it has ${slug.length}.`;
  }
  if (!/^[a-z0-9-]+$/.test(slug)) {
    return 'must be of lower-case letters a to z, digits and dashes alone, such as pet-store.';
  }
  if (slug.startsWith('-') || slug.endsWith('-')) return 'must not begin or end with a dash.';
  // This also excludes xn--, the prefix of names in other alphabets.
  if (slug.includes('--')) return 'must not have two dashes in a row: previews use them.';
  if (RESERVED.has(slug)) return `must not be ${slug}, which is reserved. Choose another.`;
  return undefined;
}
