import type { ApiError } from '@petstore/http/errors.ts';
import { conflict } from '../api-error.ts';
import { listMembers } from '../store/members.ts';
import { endReservation, findReservation, reserveSlug } from '../store/reserved-labels.ts';
import type { Trx } from '../store/schema.ts';

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
  const reservation = await findReservation(trx, slug, now);
  if (!reservation) return;
  const { reserved_until: until, project_id, owner_ids } = reservation;
  // Reserved permanently: custom domains point at this label.
  if (until === null) throw slugTaken(slug);
  const isTheirs = (JSON.parse(owner_ids) as string[]).some((id) => id === userId);
  if (project_id !== projectId && !isTheirs) throw slugReserved(slug, until);
  await endReservation(trx, slug);
}

/** Reserves a released slug for its project and the project's owners, so that a mistake can be undone. */
export async function releaseSlug(
  trx: Trx,
  { id, slug }: { readonly id: string; readonly slug: string },
  now: number,
): Promise<void> {
  const members = await listMembers(trx, id);
  const ownerIds = members.filter(({ role }) => role === 'owner').map(({ user_id }) => user_id);
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
