import { PLANS } from '../projects/project.ts';
import { findProject } from '../store/projects.ts';
import { DEFAULT_TARGET, planTarget } from '../store/quotas.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db } from '../store/schema.ts';
import { findUserByEmail } from '../store/users.ts';
import { QUOTAS, type QuotaName } from './quota.ts';

/** Whom a quota is for, as people write it. */
export type AskedTarget =
  | { readonly kind: 'everybody' }
  | { readonly kind: 'plan' | 'account' | 'project'; readonly name: string };

/** Whom a quota is for. */
export interface QuotaTarget {
  /** As the store has it. */
  readonly stored: string;
  /** For people: `all accounts`, `projects on Pro`, `ann@example.com`, `docs`. */
  readonly words: string;
  /** What it uses is that of this account or project. */
  readonly accountId?: string;
  readonly projectId?: string;
}

/** `everybody`, `plan:pro`, `account:ann@example.com`, `project:docs`; undefined: it is none of these. */
export function parseTarget(text: string): AskedTarget | undefined {
  if (text === 'everybody') return { kind: 'everybody' };
  const [, kind, name = ''] = /^(plan|account|project):(.+)$/s.exec(text) ?? [];
  return kind === undefined ? undefined : { kind: kind as 'plan', name };
}

/** The target, or what is wrong with it: a quota of accounts is set for no project, and the other way round. */
export async function findTarget(
  db: Db,
  quota: QuotaName,
  asked: AskedTarget,
): Promise<QuotaTarget | { readonly problem: string }> {
  const { of } = QUOTAS[quota];
  if (asked.kind === 'everybody') return { stored: DEFAULT_TARGET, words: `all ${of}s` };
  const { kind, name } = asked;
  if (kind === 'plan') {
    const plan = name.toLowerCase() as Plan;
    if (!Object.hasOwn(PLANS, plan))
      return {
        problem: `There is no plan ${JSON.stringify(name)}: ${Object.keys(PLANS).join(', ')}.`,
      };
    return { stored: planTarget(plan), words: `${of}s on the plan ${plan}` };
  }
  if (kind !== of) return { problem: `${quota} is of each ${of}` };
  if (kind === 'account') {
    const user = await findUserByEmail(db, name.toLowerCase());
    return user
      ? { stored: user.id, words: user.email, accountId: user.id }
      : { problem: `There is no account ${JSON.stringify(name)}.` };
  }
  const found = await findProject(db, name, null);
  return found
    ? { stored: found.project.id, words: found.project.slug, projectId: found.project.id }
    : { problem: `There is no project ${JSON.stringify(name)}.` };
}
