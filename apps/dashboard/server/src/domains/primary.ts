import type { Caller } from '../accounts/caller.ts';
import { conflict } from '../api-error.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { writeAudit } from '../store/audit.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { type DomainRow, findNextPrimary, updateDomain } from '../store/domains.ts';
import { type ProjectRow, updateProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { findSiteVersion, updateSiteVersion } from '../store/site-versions.ts';
import { recordSiteChange } from '../store/sites.ts';
import { type DomainDeps, lockOrThrow } from './lock-domain.ts';
import { isWildcard } from './wildcard.ts';

// Domains that show the same have one primary, to which the others redirect: those of the whole site have one, and those
// of each version that has names of its own.

type Shown = Pick<DomainRow, 'version'>;

/** The id of the primary among the domains that show the same; null: none is. The project must be locked. */
export async function primaryIdOf(
  trx: Trx,
  project: ProjectRow,
  { version }: Shown,
): Promise<string | null> {
  if (version === null) return project.primary_domain_id;
  return (await findSiteVersion(trx, project.id, version))?.primary_domain_id ?? null;
}

async function setPrimary(
  trx: Trx,
  { id }: ProjectRow,
  { version }: Shown,
  domainId: string | null,
): Promise<void> {
  const change = { primary_domain_id: domainId };
  if (version === null) await updateProject(trx, id, change);
  else await updateSiteVersion(trx, { project_id: id, name: version }, change);
}

/** Why a domain cannot be primary; undefined: it can. */
function whyNotPrimary({
  hostname,
  verified_at,
  awaits_move,
  moved_away_at,
  redirect,
}: DomainRow): string | undefined {
  if (isWildcard(hostname)) {
    return `${hostname} is a wildcard, which shows versions and previews; it cannot be primary.`;
  }
  if (verified_at === null) {
    return `${hostname} is not verified yet; only a verified domain can be primary.`;
  }
  if (awaits_move === 1) {
    return `${hostname} is not moved here yet; it can be primary once its DNS leads here.`;
  }
  if (moved_away_at !== null) {
    return `The DNS of ${hostname} leads elsewhere; it can be primary once it leads here again.`;
  }
  if (redirect !== null) {
    return `${hostname} redirects elsewhere; it can be primary once it shows the site again.`;
  }
  return undefined;
}

/** Makes a domain primary where no other is, and it is not the second of a pair. The project must be locked. */
export async function becomePrimary(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  at: number,
): Promise<void> {
  if (domain.is_second === 1 || whyNotPrimary(domain) !== undefined) return;
  if ((await primaryIdOf(trx, project, domain)) !== null) return;
  await setPrimary(trx, project, domain, domain.id);
  const of = domain.version === null ? "the project's" : `the version ${domain.version}'s`;
  await recordDomainEvent(trx, domain.id, at, 'primary', `It became ${of} primary domain.`);
}

/** Where a domain that ends to be one of its kind is primary, another one becomes it. The project must be locked. */
export async function handOverPrimary(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  { at, why }: { readonly at: number; readonly why: string },
): Promise<void> {
  const { id: exceptId, version } = domain;
  if ((await primaryIdOf(trx, project, domain)) !== exceptId) return;
  const next = await findNextPrimary(trx, project.id, { exceptId, version });
  await setPrimary(trx, project, domain, next?.id ?? null);
  if (next) await recordPrimary(trx, next, at, why);
}

/**
 * Makes a verified domain the primary one, to which the others that show the same redirect. Throws ApiError `conflict`
 * where it cannot be.
 */
export async function makePrimary(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  caller: Caller,
): Promise<DomainRow> {
  const { db, now } = deps;
  const { actor } = caller;
  const domain = await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, projectId, 'domain.manage');
    const locked = await lockOrThrow(trx, id);
    const why = whyNotPrimary(locked);
    if (why !== undefined) throw conflict(why);
    const before = await primaryIdOf(trx, project, locked);
    if (before === id) return locked;
    const at = now();
    await setPrimary(trx, project, locked, id);
    // Chosen, so that it stays the one of the pair that others lead to.
    await updateDomain(trx, id, { is_second: 0 });
    await recordPrimary(trx, locked, at, `chosen by ${actor.name}`);
    await writeAudit(trx, at, actor, {
      action: 'domain.primary',
      projectId,
      target: locked.hostname,
      details: { from: before },
    });
    await recordSiteChange(trx, projectId, at);
    return { ...locked, is_second: 0 };
  });
  deps.siteChanged(projectId);
  return domain;
}

function recordPrimary(
  trx: Trx,
  { id }: Pick<DomainRow, 'id'>,
  at: number,
  why: string,
): Promise<void> {
  return recordDomainEvent(trx, id, at, 'primary', `It became the primary domain: ${why}.`);
}
