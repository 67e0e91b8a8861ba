import type { Transaction } from 'kysely';
import { randomId } from '../accounts/secrets.ts';
import { conflict, notFound, rateLimited } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { cancelIssuance } from '../certificates/cancel-certificate.ts';
import type { Deps } from '../deps.ts';
import { canonicalHost } from '../edge/host.ts';
import { queueNotice } from '../notices/queue-notice.ts';
import { PLANS } from '../projects/project.ts';
import { writeAudit } from '../store/audit.ts';
import { beginChecks, clearCheckResult, findCheck } from '../store/domain-checks.ts';
import { hasEventSince, recordDomainEvent } from '../store/domain-events.ts';
import {
  countDomains,
  type DomainRow,
  deleteDomain,
  findClaim,
  findDomain,
  findHolder,
  findOldestVerified,
  findOtherHolder,
  insertDomain,
  listReserved,
  lockDomain,
  lockDomains,
  updateDomain,
} from '../store/domains.ts';
import { ConcurrentChangeError } from '../store/errors.ts';
import type { Db } from '../store/open-database.ts';
import { lockProject, lockProjects, type ProjectRow, updateProject } from '../store/projects.ts';
import { incrementCounter } from '../store/rate-counters.ts';
import type { Database } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { nextRemovedCheck } from './check-waits.ts';
import { newClaim } from './claim.ts';
import { duration } from './dns/words.ts';
import type { DomainChange } from './domain.ts';
import { readHostname } from './hostname.ts';
import { planInWords, refuseWithoutDomains } from './plan.ts';

type DomainDeps = Pick<
  Deps,
  'db' | 'now' | 'config' | 'addresses' | 'siteChanged' | 'domainsChanged'
>;

/** A holder is told once in this time that someone else claims a name, however often they add it. */
const CLAIM_NOTICE_MS = 24 * 3_600_000;

/** Names that a project may add in a window: more than anyone has use for. */
const ADDED = { limit: 500, windowMs: 3_600_000 } as const;

/** Names that stay reserved for a project that removed them; of more, the oldest goes. */
const MAX_RESERVED = 50;

/** The domain of a project with that name, as it stands in a path. Throws ApiError where there is none. */
export async function domainByName(
  db: Db,
  project: ProjectRow,
  hostname: string,
): Promise<DomainRow> {
  const domain = await findDomain(db, project.id, canonicalHost(hostname) ?? hostname);
  if (!domain) throw notFound('domain');
  return domain;
}

/**
 * Claims a host name for a project. Throws ApiError: `invalid_request` where it is no name that a site can
 * have, `forbidden` where the plan has no domains, `conflict` where there is no successful deploy, where
 * the project has it already, or as many as its plan allows.
 */
export async function addDomain(
  deps: DomainDeps,
  { id: projectId }: ProjectRow,
  typed: string,
  actor: Actor,
): Promise<DomainRow> {
  const { db, now, config, addresses } = deps;
  await countChange(deps, projectId);
  const { hostname } = readHostname(typed, {
    platformHost: config.platformHost,
    dashboardHost: new URL(addresses().dashboard).hostname,
  });
  const domain = await db.transaction().execute(async (trx) => {
    const holder = await findHolder(trx, hostname);
    // Held, so that of many who add at the same time none gets past the plan's bound, and so that whoever has
    // the name can be told.
    const projects = await lockProjects(trx, [projectId, ...(holder ? [holder.project_id] : [])]);
    const project = projects.find(({ id }) => id === projectId);
    if (!project) throw notFound('project');
    await refuseWhereNone(trx, project);
    const known = await findClaim(trx, projectId, hostname);
    await lockDomains(
      trx,
      [known, holder].flatMap((domain) => domain?.id ?? []),
    );
    if (known && known.removed_at === null) {
      throw conflict(`${hostname} is a domain of this project already.`);
    }
    const at = now();
    const claim = known ? await takeUpAgain(trx, known) : newClaim(projectId, hostname, at, actor);
    if (!known) await insertDomain(trx, claim);
    await beginChecks(trx, claim.id, at, at);
    await recordDomainEvent(trx, claim.id, at, 'added', `${actor.name} added the domain.`);
    await tellHolder(trx, claim, holder, at);
    await writeAudit(trx, at, actor, {
      action: 'domain.add',
      projectId,
      target: hostname,
    });
    return claim;
  });
  deps.domainsChanged();
  return domain;
}

/** Throws ApiError `rate_limited` for a project that adds names, and removes them, over and over. */
async function countChange({ db, now }: DomainDeps, projectId: string): Promise<void> {
  const { count, resetsAt } = await incrementCounter(
    db,
    `domains:${projectId}`,
    now(),
    ADDED.windowMs,
  );
  if (count > ADDED.limit) {
    throw rateLimited(
      'This project has added many domains lately. Try again later.',
      resetsAt - now(),
    );
  }
}

/** Throws ApiError where a project may not have one more domain, or cannot have one yet. */
async function refuseWhereNone(trx: Transaction<Database>, project: ProjectRow): Promise<void> {
  const { customDomains } = PLANS[project.plan];
  refuseWithoutDomains(project.plan);
  if (project.live_deploy_id === null) {
    throw conflict('Deploy the project first: a domain needs a successful deploy to show.');
  }
  if (customDomains !== null && (await countDomains(trx, project.id)) >= customDomains) {
    throw conflict(
      `The plan ${planInWords(project.plan)} allows ${customDomains} domains, and this project has them. Remove one first.`,
    );
  }
}

/**
 * A removed domain comes back with the records that it had, which may well be there still, and with nothing
 * else: what was found of it then may be so no more, and HSTS is off until someone switches it on.
 */
async function takeUpAgain(trx: Transaction<Database>, known: DomainRow): Promise<DomainRow> {
  const again = { removed_at: null, verified_at: null, moved_away_at: null, hsts_max_age: null };
  await updateDomain(trx, known.id, again);
  await clearCheckResult(trx, known.id);
  return { ...known, ...again };
}

/** `held`: who had the name before the transaction had its locks. */
async function tellHolder(
  trx: Transaction<Database>,
  claim: DomainRow,
  held: DomainRow | undefined,
  at: number,
): Promise<void> {
  const holder = await findOtherHolder(trx, claim);
  if (holder && holder.id !== held?.id) throw new ConcurrentChangeError();
  if (!holder || holder.removed_at !== null) return;
  if (await hasEventSince(trx, holder.id, 'claimed_elsewhere', at - CLAIM_NOTICE_MS)) return;
  const message = `Another project has added ${claim.hostname}. It stays yours unless they prove with a TXT record that they control its DNS.`;
  await recordDomainEvent(trx, holder.id, at, 'claimed_elsewhere', message);
  await queueNotice(trx, at, {
    type: 'domain.claimed_elsewhere',
    projectId: holder.project_id,
    hostname: holder.hostname,
    message,
  });
}

/**
 * Takes a domain offline, at once: it serves nothing from the moment this resolves in this process, and
 * within a second in others. The name stays reserved for the project while its DNS leads here.
 */
export async function removeDomain(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  actor: Actor,
): Promise<void> {
  const { db, now } = deps;
  await db.transaction().execute(async (trx) => {
    const project = await lockProject(trx, projectId);
    const given = (await listReserved(trx, projectId)).slice(MAX_RESERVED - 1);
    const domains = await lockDomains(trx, [id, ...given.map((oldest) => oldest.id)]);
    const domain = domains.find((held) => held.id === id);
    if (!project || !domain || domain.removed_at !== null) throw notFound('domain');
    const at = now();
    await cancelIssuance(trx, domain, at);
    if (project.primary_domain_id === id) {
      const next = await findOldestVerified(trx, projectId, id);
      await updateProject(trx, projectId, { primary_domain_id: next?.id ?? null });
      if (next) await notePrimary(trx, next, at, 'the primary domain was removed');
    }
    const message = `${actor.name} removed the domain.`;
    const isReserved = domain.holds === 1 || (await findCheck(trx, id))?.points_here === 1;
    if (isReserved) {
      await updateDomain(trx, id, { removed_at: at, verified_at: null, moved_away_at: null });
      await recordDomainEvent(trx, id, at, 'removed', message);
      await beginChecks(trx, id, at, nextRemovedCheck(at));
      for (const oldest of given) await deleteDomain(trx, oldest.id);
    } else {
      await deleteDomain(trx, id);
    }
    await queueNotice(trx, at, {
      type: 'domain.removed',
      projectId,
      hostname: domain.hostname,
      message: `${message} Delete its DNS records, so that nothing points here in vain.`,
    });
    await recordSiteChange(trx, projectId, at);
    await writeAudit(trx, at, actor, {
      action: 'domain.remove',
      projectId,
      target: domain.hostname,
    });
  });
  deps.siteChanged(projectId);
  // An order that was open is to be given up.
  deps.domainsChanged();
}

/** Makes a verified domain the one that the project's others lead to. */
export async function makePrimary(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  actor: Actor,
): Promise<DomainRow> {
  const { db, now } = deps;
  const domain = await db.transaction().execute(async (trx) => {
    const project = await lockProject(trx, projectId);
    const held = await lockDomain(trx, id);
    if (!project || !held || held.removed_at !== null) throw notFound('domain');
    if (held.verified_at === null) {
      throw conflict(
        `${held.hostname} is not verified yet; only a verified domain can be primary.`,
      );
    }
    if (project.primary_domain_id === id) return held;
    const at = now();
    await updateProject(trx, projectId, { primary_domain_id: id });
    await notePrimary(trx, held, at, `chosen by ${actor.name}`);
    await recordSiteChange(trx, projectId, at);
    await writeAudit(trx, at, actor, {
      action: 'domain.primary',
      projectId,
      target: held.hostname,
      details: { from: project.primary_domain_id },
    });
    return held;
  });
  deps.siteChanged(projectId);
  return domain;
}

function notePrimary(
  trx: Transaction<Database>,
  { id }: DomainRow,
  at: number,
  why: string,
): Promise<void> {
  return recordDomainEvent(trx, id, at, 'primary', `It became the primary domain: ${why}.`);
}

/** Has browsers come over HTTPS alone, for as long as they are told to; null: no longer told. */
export async function changeHsts(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  { hsts }: DomainChange,
  actor: Actor,
): Promise<DomainRow> {
  const { db, now } = deps;
  const domain = await db.transaction().execute(async (trx) => {
    const held = await lockDomain(trx, id);
    if (!held || held.removed_at !== null) throw notFound('domain');
    const change = {
      hsts_max_age: hsts?.maxAgeSeconds ?? null,
      hsts_include_subdomains: hsts?.includeSubdomains ? 1 : 0,
    };
    const at = now();
    await updateDomain(trx, id, change);
    await recordDomainEvent(trx, id, at, 'hsts', hstsInWords(hsts, actor));
    await recordSiteChange(trx, projectId, at);
    await writeAudit(trx, at, actor, {
      action: 'domain.update',
      projectId,
      target: held.hostname,
      details: { hsts },
    });
    return { ...held, ...change };
  });
  deps.siteChanged(projectId);
  return domain;
}

function hstsInWords(hsts: DomainChange['hsts'], { name }: Actor): string {
  if (hsts === null) return `${name} switched Strict-Transport-Security off.`;
  const subdomains = hsts.includeSubdomains ? ', with subdomains' : '';
  return `${name} switched Strict-Transport-Security on for ${inDays(hsts.maxAgeSeconds)}${subdomains}.`;
}

function inDays(seconds: number): string {
  return seconds < 2 * 86_400 ? duration(seconds) : `${Math.round(seconds / 86_400)} days`;
}

/** Makes a new link to show the records by; the one before shows nothing any more. */
export async function renewLink(
  { db, now }: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  actor: Actor,
): Promise<DomainRow> {
  return db.transaction().execute(async (trx) => {
    const held = await lockDomain(trx, id);
    if (!held || held.removed_at !== null) throw notFound('domain');
    const change = { link_secret: randomId(32) };
    const at = now();
    await updateDomain(trx, id, change);
    await recordDomainEvent(trx, id, at, 'link.renewed', `${actor.name} made a new link.`);
    await writeAudit(trx, at, actor, {
      action: 'domain.link',
      projectId,
      target: held.hostname,
    });
    return { ...held, ...change };
  });
}
