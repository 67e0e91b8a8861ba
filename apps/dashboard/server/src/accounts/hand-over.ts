import { conflict, invalidRequest } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../store/audit.ts';
import { findMember, setMember } from '../store/members.ts';
import type { Trx } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';

/**
 * Who takes over the projects that would be left without an owner: the id of one user for all of them, or of one for
 * each, by the project's slug.
 */
export type HandOver = string | ReadonlyMap<string, string>;

/** A project, by its slug, and the address of its new owner. */
export interface HandedOver {
  readonly project: string;
  readonly to: string;
}

/**
 * Makes other users owners of locked projects whose last owner is removed. `locked`: the locked users that `handOverTo`
 * names. Throws ApiError where a project has nobody to take it over, or one who is gone, disabled or being removed.
 */
export async function handOver(
  trx: Trx,
  at: number,
  {
    user,
    projects,
    handOverTo,
    locked,
    actor,
  }: {
    user: UserRow;
    projects: readonly { project_id: string; slug: string }[];
    handOverTo: HandOver;
    locked: readonly UserRow[];
    actor: Actor;
  },
): Promise<HandedOver[]> {
  const heirOf = (slug: string) =>
    typeof handOverTo === 'string' ? handOverTo : handOverTo.get(slug);
  const missing = projects.filter(({ slug }) => heirOf(slug) === undefined);
  if (missing.length > 0) {
    const slugs = missing.map(({ slug }) => slug).join(', ');
    throw conflict(
      `${user.email} is the only owner of ${slugs}. Say who takes over each project, or make another member an owner first.`,
    );
  }
  const handedOver: HandedOver[] = [];
  for (const { project_id, slug } of projects) {
    const id = heirOf(slug);
    const heir = locked.find((row) => row.id === id);
    if (!heir || heir.id === user.id || heir.disabled_at !== null) {
      throw invalidRequest(
        `Whoever takes over ${slug} must have another account, not a disabled one.`,
      );
    }
    const before = await findMember(trx, project_id, heir.id);
    await setMember(trx, {
      project_id,
      user_id: heir.id,
      role: 'owner',
      created_at: at,
    });
    await writeAudit(trx, at, actor, {
      action: 'project.hand_over',
      projectId: project_id,
      target: heir.email,
      details: { from: user.email, role: before?.own_role ?? null },
    });
    handedOver.push({ project: slug, to: heir.email });
  }
  return handedOver;
}
