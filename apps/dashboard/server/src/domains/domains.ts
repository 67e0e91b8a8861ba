import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict, forbidden, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { cancelIssuance } from '../certificates/request-certificate.ts';
import { canonicalHost } from '../edge/host.ts';
import { queueDomainNotice } from '../notices/queue-notice.ts';
import { lockedProjectFor, lockProjectFor } from '../projects/lock-project.ts';
import { boundOfProject, mayHaveDomains } from '../quotas/bounds.ts';
import { writeAudit } from '../store/audit.ts';
import { beginChecks, clearCheckResult, findCheck } from '../store/domain-checks.ts';
import { findEventSince, recordDomainEvent } from '../store/domain-events.ts';
import { clearMove } from '../store/domain-moves.ts';
import {
  countDomains,
  type DomainRow,
  deleteDomain,
  findClaim,
  findDomain,
  findHolder,
  findOtherHolder,
  insertDomain,
  listReserved,
  lockDomains,
  updateDomain,
} from '../store/domains.ts';
import { ConcurrentChangeError } from '../store/errors.ts';
import { lockProjects, type ProjectRow } from '../store/projects.ts';
import { deleteRehearsal } from '../store/rehearsals.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db, Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import { nextRemovedCheck } from './check-schedule.ts';
import { challengeLabelOf, newClaim } from './claim.ts';
import { duration } from './dns/words.ts';
import type { DomainChange, NewDomain } from './domain.ts';
import { readHostname } from './hostname.ts';
import { type DomainDeps, lockOrThrow } from './lock-domain.ts';
import { otherHalf, pairOf } from './pair.ts';
import { handOverPrimary } from './primary.ts';
import { changeRedirect, readRedirectTarget } from './redirect.ts';
import { changeShownVersion } from './shown-version.ts';
import type { StoredRedirect } from './stored-redirect.ts';
import { isWildcard, siblingOf } from './wildcard.ts';

/** A holder is notified of claims of others at most this often, in milliseconds. */
const CLAIM_NOTICE_MS = 24 * 3_600_000;

/** How many names a project may add in a window: more than anyone needs. */
const ADDED = { limit: 500, windowMs: 3_600_000 } as const;

/** How many removed names stay reserved for a project; the oldest reservations end first. */
const MAX_RESERVED = 50;

/** The domain of a project by the name in a request path. Throws ApiError where there is none. */
export async function domainOrThrow(
  db: Db,
  project: ProjectRow,
  hostname: string,
): Promise<DomainRow> {
  const domain = await findDomain(db, project.id, canonicalHost(hostname) ?? hostname);
  if (!domain) throw notFound('domain');
  return domain;
}

/**
 * Claims a host name for a project, or a wildcard; with `pair` its www. or the name without it as well, both or none.
 * Returns the claim to the name itself. Throws ApiError: `invalid_request` where a site cannot have this name, `forbidden`
 * where the plan has no domains, `conflict` where the project has no successful deploy, has the name already, or has as
 * many names as its plan allows, or where the name needs a zone and the installation has none.
 */
export async function addDomain(
  deps: DomainDeps,
  { id: projectId }: ProjectRow,
  { hostname: typed, prepare = false, pair = false }: NewDomain,
  caller: Caller,
): Promise<DomainRow> {
  const { db, now, config, addresses } = deps;
  // A project may add and remove names again and again.
  await limitRate(
    db,
    `domains:${projectId}`,
    ADDED,
    now(),
    () => 'This project has added many domains lately. Try again later.',
  );
  const hostname = readHostname(typed, {
    platformHost: config.platformHost,
    dashboardHost: new URL(addresses().dashboard).hostname,
    petstoreHost: config.domain?.petstore?.name,
  });
  if (isWildcard(hostname)) requireZone(config, `to prove the wildcard ${hostname}`);
  if (prepare) requireZone(config, 'to prepare a domain', WITHOUT_PREPARING);
  const names = pair ? pairOf(hostname) : ([hostname] as const);
  const asked = { prepare: prepare || isWildcard(hostname) ? 1 : 0 };
  const [first] = await db.transaction().execute(async (trx) => {
    const holders = await Promise.all(names.map((name) => findHolder(trx, name)));
    // Locked, so that additions at the same time cannot exceed the plan's limit, and so that the holder can be notified.
    await lockProjects(trx, [projectId, ...holders.flatMap((holder) => holder?.project_id ?? [])]);
    const project = await lockedProjectFor(trx, caller, projectId, 'domain.manage');
    await checkMayAdd(trx, project, names.length);
    const known = await Promise.all(names.map((name) => findClaim(trx, projectId, name)));
    await lockDomains(
      trx,
      [...known, ...holders].flatMap((domain) => domain?.id ?? []),
    );
    const at = now();
    const claims: DomainRow[] = [];
    for (const [index, name] of names.entries()) {
      const claim = await claimName(trx, known[index], {
        ...{ projectId, hostname: name, caller, at },
        asked: { ...asked, is_second: index },
      });
      await notifyHolder(trx, claim, holders[index], at);
      claims.push(claim);
    }
    return claims;
  });
  if (!first) throw new Error('no name was claimed');
  deps.domainsChanged();
  return first;
}

interface AskedClaim {
  readonly projectId: string;
  readonly hostname: string;
  readonly caller: Caller;
  readonly at: number;
  readonly asked: Pick<DomainRow, 'prepare' | 'is_second'>;
}

/** Claims a name in a transaction that has locked what it may touch. `known`: the project's claim to it so far. */
async function claimName(
  trx: Trx,
  known: DomainRow | undefined,
  { projectId, hostname, caller: { actor }, at, asked }: AskedClaim,
): Promise<DomainRow> {
  if (known && known.removed_at === null) {
    throw conflict(`${hostname} is a domain of this project already.`);
  }
  const claim = known
    ? await restoreClaim(trx, known, asked)
    : { ...newClaim(projectId, hostname, at, actor), ...asked };
  if (!known) {
    // There can be one record for the challenges of a name and of the wildcard below it.
    const sibling = await findClaim(trx, projectId, siblingOf(hostname));
    if (sibling) claim.challenge_label = challengeLabelOf(sibling);
    await insertDomain(trx, claim);
  }
  await beginChecks(trx, claim.id, at, at);
  await recordDomainEvent(trx, claim.id, at, 'added', `${actor.name} added the domain.`);
  await writeAudit(trx, at, actor, { action: 'domain.add', projectId, target: hostname });
  return claim;
}

/** Throws ApiError where a project may not have as many more domains, or cannot have one yet. */
async function checkMayAdd(trx: Trx, project: ProjectRow, wanted: number): Promise<void> {
  const { most, from } = await boundOfProject(trx, 'domains', project);
  await requireDomainsInPlan(trx, project);
  if (project.live_deploy_id === null && project.default_version === null) {
    throw conflict('Deploy the project first: a domain needs a successful deploy to show.');
  }
  const used = await countDomains(trx, project.id);
  if (most !== null && used + wanted > most) {
    const has = used === most ? 'as many' : `${used} of them; a pair is two`;
    const isOfPlan = from === 'built-in' || from === 'plan';
    const allows = isOfPlan
      ? `The plan ${planInWords(project.plan)} allows`
      : 'This project may have';
    if (most === 0) throw conflict(`${allows} no domains.`);
    throw conflict(`${allows} ${most} domains, and this project has ${has}. Remove one first.`);
  }
}

/**
 * A removed domain that is added again keeps its records, which may still be in the DNS. Nothing else is kept: it is
 * checked anew, and HSTS is off until someone switches it on.
 */
async function restoreClaim(
  trx: Trx,
  known: DomainRow,
  asked: AskedClaim['asked'],
): Promise<DomainRow> {
  const again = {
    ...asked,
    version: null,
    redirect: null,
    removed_at: null,
    verified_at: null,
    awaits_move: 0,
    moved_away_at: null,
    hsts_max_age: null,
  };
  await updateDomain(trx, known.id, again);
  await clearCheckResult(trx, known.id);
  await clearMove(trx, known.id);
  return { ...known, ...again };
}

/** Notifies the project that holds the name of another claim. `locked`: the holder that the transaction has locked. */
async function notifyHolder(
  trx: Trx,
  claim: DomainRow,
  locked: DomainRow | undefined,
  at: number,
): Promise<void> {
  const holder = await findOtherHolder(trx, claim);
  if (holder && holder.id !== locked?.id) throw new ConcurrentChangeError();
  if (!holder || holder.removed_at !== null) return;
  if (await findEventSince(trx, holder.id, 'claimed_elsewhere', at - CLAIM_NOTICE_MS)) return;
  const message = `Another project has added ${claim.hostname}. It stays yours unless they prove with a TXT record that they control its DNS.`;
  await recordDomainEvent(trx, holder.id, at, 'claimed_elsewhere', message);
  await queueDomainNotice(trx, at, {
    type: 'domain.claimed_elsewhere',
    projectId: holder.project_id,
    hostname: holder.hostname,
    message,
  });
}

/**
 * Takes a domain offline: at once in this process, and within a second in others. The name stays reserved for the
 * project while its DNS leads here.
 */
export async function removeDomain(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  caller: Caller,
): Promise<void> {
  const { db, now } = deps;
  const { actor } = caller;
  await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, projectId, 'domain.manage');
    const expired = (await listReserved(trx, projectId)).slice(MAX_RESERVED - 1);
    const domains = await lockDomains(trx, [id, ...expired.map((oldest) => oldest.id)]);
    const domain = domains.find((locked) => locked.id === id);
    if (!domain || domain.removed_at !== null) throw notFound('domain');
    const at = now();
    await cancelIssuance(trx, domain, at);
    await deleteRehearsal(trx, id);
    await handOverPrimary(trx, project, domain, { at, why: 'the primary domain was removed' });
    const half = otherHalf(domain.hostname);
    const left = half && (await findDomain(trx, projectId, half));
    // What is left of a pair is a domain like others.
    if (left) await updateDomain(trx, left.id, { is_second: 0 });
    const message = `${actor.name} removed the domain.`;
    const check = await findCheck(trx, id);
    const isReserved =
      domain.holds === 1 || check?.points_here === 1 || check?.challenge_here === 1;
    if (isReserved) {
      const change = { verified_at: null, awaits_move: 0, moved_away_at: null };
      await updateDomain(trx, id, { removed_at: at, ...change });
      await recordDomainEvent(trx, id, at, 'removed', message);
      await beginChecks(trx, id, at, nextRemovedCheck(at));
      for (const oldest of expired) await deleteDomain(trx, oldest.id);
    } else {
      await deleteDomain(trx, id);
    }
    await queueDomainNotice(trx, at, {
      type: 'domain.removed',
      projectId,
      hostname: domain.hostname,
      message: `${message} Delete its DNS records, which are not needed any more.`,
    });
    await writeAudit(trx, at, actor, {
      action: 'domain.remove',
      projectId,
      target: domain.hostname,
    });
    await recordSiteChange(trx, projectId, at);
  });
  deps.siteChanged(projectId);
  // The issuer abandons an open order.
  deps.domainsChanged();
}

/**
 * Changes what a domain is asked to be: Strict-Transport-Security (RFC 6797; null switches it off), whether it is prepared
 * for a move, where it redirects, and which version it shows. Throws ApiError where it cannot be that.
 */
export async function changeDomain(
  deps: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  asked: DomainChange,
  caller: Caller,
): Promise<DomainRow> {
  const { db, now, config } = deps;
  const { actor } = caller;
  const { hsts, prepare, version } = asked;
  const redirect = readRedirect(asked);
  if (prepare) requireZone(config, 'to prepare a domain', WITHOUT_PREPARING);
  const domain = await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, projectId, 'domain.manage');
    const locked = await lockOrThrow(trx, id);
    const at = now();
    let row = locked;
    const take = (change: Partial<DomainRow>) => {
      row = { ...row, ...change };
    };
    const by = { actor, at };
    if (hsts !== undefined) take(await changeHsts(trx, row, hsts, actor, at));
    if (prepare !== undefined) take(await changePreparation(trx, row, prepare, actor, at));
    // One that redirects is never primary: it redirects before it shows something else, and ends to do so after that.
    if (redirect) take(await changeRedirect(trx, project, row, { redirect, ...by }));
    if (version !== undefined)
      take(await changeShownVersion(trx, project, row, { version, ...by }));
    if (redirect === null) take(await changeRedirect(trx, project, row, { redirect, ...by }));
    await writeAudit(trx, at, actor, {
      action: 'domain.update',
      projectId,
      target: locked.hostname,
      details: { ...asked },
    });
    await recordSiteChange(trx, projectId, at);
    return row;
  });
  deps.siteChanged(projectId);
  deps.domainsChanged();
  return domain;
}

async function changeHsts(
  trx: Trx,
  { id }: DomainRow,
  hsts: Hsts,
  actor: Actor,
  at: number,
): Promise<Partial<DomainRow>> {
  const change = {
    hsts_max_age: hsts?.maxAgeSeconds ?? null,
    hsts_include_subdomains: hsts?.includeSubdomains ? 1 : 0,
  };
  await updateDomain(trx, id, change);
  await recordDomainEvent(trx, id, at, 'hsts', hstsInWords(hsts, actor));
  return change;
}

/** A domain that only the record of its challenges has verified is unverified again without it, and keeps its certificate. */
async function changePreparation(
  trx: Trx,
  domain: DomainRow,
  prepare: boolean,
  actor: Actor,
  at: number,
): Promise<Partial<DomainRow>> {
  if (prepare === (domain.prepare === 1)) return {};
  if (isWildcard(domain.hostname)) {
    throw conflict(
      `${domain.hostname} is a wildcard, which its _acme-challenge record alone can prove.`,
    );
  }
  const isUndone = !prepare && domain.awaits_move === 1;
  const change = {
    prepare: prepare ? 1 : 0,
    ...(isUndone && { awaits_move: 0, verified_at: null }),
  };
  await updateDomain(trx, domain.id, change);
  if (isUndone) await cancelIssuance(trx, domain, at);
  const words = prepare
    ? `${actor.name} asked for it to be proven and certified by its _acme-challenge record.`
    : `${actor.name} no longer wants it to be proven by its _acme-challenge record.`;
  await recordDomainEvent(trx, domain.id, at, 'prepare', words);
  await beginChecks(trx, domain.id, at, at);
  return change;
}

/** The redirect that is asked for; null: none any more; undefined: it stays as it is. */
function readRedirect({
  redirectTo,
  redirectStatus = 301,
  keepPath = true,
}: DomainChange): StoredRedirect | null | undefined {
  if (redirectTo === undefined || redirectTo === null) return redirectTo;
  return { ...readRedirectTarget(redirectTo), keepPath, status: redirectStatus };
}

const WITHOUT_PREPARING = '; or add the domain without preparing it';

/** Throws ApiError `conflict` where the installation has no zone, in which names are proven by their challenges. */
function requireZone({ dnsZone }: DomainDeps['config'], why: string, otherwise = ''): void {
  if (dnsZone) return;
  throw conflict(
    `This dashboard has no DNS zone of its own, which it needs ${why}. Whoever runs it sets DNS_ZONE and delegates that zone (see Account, DNS zone)${otherwise}.`,
  );
}

type Hsts = NonNullable<DomainChange>['hsts'] | null;

function hstsInWords(hsts: Hsts, { name }: Actor): string {
  if (!hsts) return `${name} switched Strict-Transport-Security off.`;
  const subdomains = hsts.includeSubdomains ? ', with subdomains' : '';
  return `${name} switched Strict-Transport-Security on for ${inDays(hsts.maxAgeSeconds)}${subdomains}.`;
}

function inDays(seconds: number): string {
  return seconds < 2 * 86_400 ? duration(seconds) : `${Math.round(seconds / 86_400)} days`;
}

/** Makes a new link that shows the records without signing in. The earlier link stops working. */
export async function renewLink(
  { db, now }: DomainDeps,
  { id, project_id: projectId }: DomainRow,
  caller: Caller,
): Promise<DomainRow> {
  const { actor } = caller;
  return db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, projectId, 'domain.manage');
    const locked = await lockOrThrow(trx, id);
    const change = { link_secret: randomId(32) };
    const at = now();
    await updateDomain(trx, id, change);
    await recordDomainEvent(trx, id, at, 'link.renewed', `${actor.name} made a new link.`);
    await writeAudit(trx, at, actor, { action: 'domain.link', projectId, target: locked.hostname });
    return { ...locked, ...change };
  });
}

/** Throws ApiError `forbidden` where the plan of a project has no custom domains, and no quota opens it to some. */
export async function requireDomainsInPlan(
  db: Db,
  project: Pick<ProjectRow, 'id' | 'plan'>,
): Promise<void> {
  if (await mayHaveDomains(db, project)) return;
  throw forbidden(
    `Custom domains need the plan Pro or above; this project is on ${planInWords(project.plan)}. The owner of the installation can change that on the project's page Plan.`,
  );
}

function planInWords(plan: Plan): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
}
