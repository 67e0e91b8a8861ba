import { conflict } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { type DomainRow, updateDomain } from '../store/domains.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { findSiteVersion } from '../store/site-versions.ts';
import { becomePrimary, handOverPrimary } from './primary.ts';
import { isWildcard } from './wildcard.ts';

/**
 * Lets a locked domain show one version alone; null: the whole site. It leaves its primary, and is the first candidate
 * for that of the version. Returns what changes in its row. Throws ApiError `conflict` where there is no such version.
 */
export async function changeShownVersion(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  { version, actor, at }: { version: string | null; actor: Actor; at: number },
): Promise<Partial<DomainRow>> {
  const { id, hostname } = domain;
  if (version === domain.version) return {};
  if (isWildcard(hostname)) {
    throw conflict(`${hostname} is a wildcard, which shows each version at its own label already.`);
  }
  if (version !== null && !(await findSiteVersion(trx, project.id, version))) {
    throw conflict(`This project has no version ${version}. Deploy it first.`);
  }
  await handOverPrimary(trx, project, domain, { at, why: `${hostname} shows something else now` });
  await updateDomain(trx, id, { version });
  const said = version === null ? 'the whole site' : `the version ${version} alone`;
  await recordDomainEvent(trx, id, at, 'version', `${actor.name} let it show ${said}.`);
  await becomePrimary(trx, project, { ...domain, version }, at);
  return { version };
}
