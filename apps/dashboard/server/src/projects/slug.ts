import type { ApiError } from '@petstore/http/errors.ts';
import { conflict, invalidRequest } from '../api-error.ts';
import { endReservation, findReservation, reserveSlug } from '../store/reserved-labels.ts';
import { listOwners } from '../store/role-grants.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';

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

/**
 * How long a slug stays reserved after a project released it, in milliseconds. Links still lead there, and browsers
 * keep what the site stored under its origin.
 */
const RESERVED_MS = 90 * 24 * 3_600_000;

/** Who wants a slug: a project, and the user who is creating it or changing its slug. */
interface Claimant {
  readonly projectId: string;
  readonly userId: string | null;
}

/**
 * Ends the reservation of a slug. Call it after the project has taken the slug: a concurrent release is committed by
 * then. Throws ApiError `conflict` where it is reserved for others.
 */
export async function claimReservedSlug(
  trx: Trx,
  slug: string,
  { projectId, userId }: Claimant,
  now: number,
): Promise<void> {
  const reservation = await findReservation(trx, slug);
  if (!reservation) return;
  const { reserved_until: until, project_id, owner_ids } = reservation;
  // Reserved permanently: custom domains point at this label.
  if (until === null) throw slugTaken(slug);
  const isTheirs = (JSON.parse(owner_ids) as string[]).some((id) => id === userId);
  if (until > now && project_id !== projectId && !isTheirs) throw slugReserved(slug, until);
  await endReservation(trx, slug);
  // The address led to the project that had it, and edges remember that.
  if (project_id !== null) await recordSiteChange(trx, project_id, now);
}

/** Reserves a released slug for its project and the project's owners, so that a mistake can be undone. */
export async function releaseSlug(
  trx: Trx,
  { id, slug }: { readonly id: string; readonly slug: string },
  now: number,
): Promise<void> {
  const ownerIds = (await listOwners(trx, id)).map((owner) => owner.id);
  await reserveSlug(trx, slug, { projectId: id, ownerIds, until: now + RESERVED_MS });
}

export function slugTaken(slug: string): ApiError {
  return conflict(`The slug ${slug} is taken. Choose another.`);
}

function slugReserved(slug: string, until: number): ApiError {
  const day = new Date(until).toISOString().replace(/T(..:..).*/, ' $1 UTC');
  return conflict(
    `The slug ${slug} was another project's, and is reserved for its owners until ${day}: links to it must not lead to a stranger. Choose another.`,
  );
}
