import { isDeepStrictEqual } from 'node:util';
import { readName } from '../accounts/account-input.ts';
import type { Access, Caller } from '../accounts/caller.ts';
import { lockActiveUser } from '../accounts/passwords.ts';
import { randomId } from '../accounts/secrets.ts';
import { invalidRequest, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { presentDeploy, readDeployView } from '../deploys/present-deploy.ts';
import type { Deps } from '../deps.ts';
import { limitsOfProject } from '../quotas/bounds.ts';
import { requireRoomForProject } from '../quotas/require-room.ts';
import { type AnalyticsSetting, readAnalytics } from '../readers/analytics-setting.ts';
import { instant } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import { findDefaultDeploy, findLatestDeploy } from '../store/deploys.ts';
import { findActivePrimary, listDomainIds, lockDomains } from '../store/domains.ts';
import { isUniqueViolation } from '../store/errors.ts';
import { setMember } from '../store/members.ts';
import {
  deleteProject as deleteRow,
  findProject,
  insertProject,
  lockProject,
  type ProjectRow,
  updateProject,
} from '../store/projects.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db, Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import type { UserRow } from '../store/users.ts';
import { lockProjectFor } from './lock-project.ts';
import type { Project, ProjectChange } from './project.ts';
import { checkSlug, claimReservedSlug, releaseSlug, slugTaken } from './slug.ts';

/** A project as its members see it. */
export async function presentProject(
  { db, addresses, now }: Pick<Deps, 'db' | 'addresses' | 'now'>,
  { project, role, can }: Access,
): Promise<Project> {
  const { id, slug } = project;
  const primary = await findActivePrimary(db, project, now());
  const latest = await findLatestDeploy(db, id);
  const live = await findDefaultDeploy(db, project);
  const view = await readDeployView(db, project, now());
  const present = (deploy: typeof latest) =>
    deploy && presentDeploy(deploy, project, addresses(), view);
  return {
    slug,
    name: project.name,
    plan: project.plan,
    url: primary ? addresses().domain(primary.hostname) : addresses().site(slug),
    platformUrl: addresses().site(slug),
    ...switchesOf(project),
    private: project.private,
    defaultVersion: project.default_version,
    hasUnversioned: project.live_deploy_id !== null,
    createdAt: instant(project.created_at),
    live: present(live) ?? null,
    latest: present(latest) ?? null,
    limits: await limitsOfProject(db, project),
    you: { role, can: [...can] },
  };
}

/** Creates a project that the user owns. Throws ApiError when the slug is invalid, taken, or reserved. */
export async function createProject(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  input: { name: string; slug: string },
  user: UserRow,
  actor: Actor,
): Promise<ProjectRow> {
  checkSlug(input.slug);
  const at = now();
  const project: ProjectRow = {
    id: `prj_${randomId(16)}`,
    slug: input.slug,
    name: readName(input.name),
    plan: 'free',
    created_at: at,
    live_deploy_id: null,
    last_deploy_number: 0,
    primary_domain_id: null,
    redirect_platform_host: 0,
    mcp: 1,
    request_proxy: 0,
    strict: 0,
    hold_breaking: 0,
    default_version: null,
    count_readers: 1,
    analytics: null,
    private: 'nothing',
    stored_bytes: 0,
    stored_told: 0,
  };
  await refusingTaken(project.slug, () =>
    db.transaction().execute(async (trx) => {
      await lockActiveUser(trx, user.id);
      await requireRoomForProject(trx, user);
      await insertProject(trx, project);
      await setMember(trx, {
        project_id: project.id,
        user_id: user.id,
        role: 'owner',
        created_at: at,
      });
      await writeAudit(trx, at, actor, {
        action: 'project.create',
        projectId: project.id,
        target: project.slug,
        details: { name: project.name },
      });
      const claimant = { projectId: project.id, userId: user.id };
      await claimReservedSlug(trx, project.slug, claimant, at);
    }),
  );
  return project;
}

/**
 * Changes a project's name, its slug, or what its sites do. With another slug its site moves, and the old address is
 * gone: nobody else has it for 90 days.
 */
export async function changeProject(
  { config, db, now, siteChanged }: Pick<Deps, 'config' | 'db' | 'now' | 'siteChanged'>,
  { id, slug: currentSlug }: ProjectRow,
  change: ProjectChange,
  caller: Caller,
): Promise<ProjectRow> {
  const name = change.name === undefined ? undefined : readName(change.name);
  if (change.slug !== undefined && change.slug !== currentSlug) checkSlug(change.slug);
  if (change.requestProxy && config.requestProxy === 'refuse') {
    throw invalidRequest(
      'requestProxy cannot be switched on here. (Whoever runs this may allow it: DASHBOARD_REQUEST_PROXY.)',
    );
  }
  const analytics = change.analytics && readAnalytics(change.analytics);
  let isChanged = false;
  const changed = await refusingTaken(change.slug ?? currentSlug, () =>
    db.transaction().execute(async (trx) => {
      // Read under the lock: somebody may be changing another of these at the same time.
      const before = await lockProjectFor(trx, caller, id, 'project.update');
      const switches = {
        ...switchesOf(before),
        ...change,
        ...(change.analytics !== undefined && { analytics }),
      };
      const next = {
        name: name ?? before.name,
        slug: change.slug ?? before.slug,
        redirect_platform_host: switches.redirectPlatformHost ? 1 : 0,
        mcp: switches.mcp ? 1 : 0,
        request_proxy: switches.requestProxy ? 1 : 0,
        count_readers: switches.countReaders ? 1 : 0,
        analytics: switches.analytics ? JSON.stringify(switches.analytics) : null,
        strict: switches.strict ? 1 : 0,
        hold_breaking: switches.holdBreaking ? 1 : 0,
      };
      const [from, to] = [presentChange(before), presentChange(next)];
      isChanged = !isDeepStrictEqual(from, to);
      if (!isChanged) return before;
      await moveSlug(trx, before, next.slug, caller, now());
      await updateProject(trx, id, next);
      // The name, too: the sign-in page of a private site shows it.
      await writeAudit(trx, now(), caller.actor, {
        action: 'project.update',
        projectId: id,
        target: before.slug,
        details: { from, to },
      });
      await recordSiteChange(trx, id, now());
      return { ...before, ...next };
    }),
  );
  if (isChanged) siteChanged(id);
  return changed;
}

type Switches = Pick<
  ProjectRow,
  | 'redirect_platform_host'
  | 'mcp'
  | 'request_proxy'
  | 'count_readers'
  | 'analytics'
  | 'strict'
  | 'hold_breaking'
>;

/** What a project's sites and deploys do, as the API has it. */
function switchesOf({
  redirect_platform_host,
  mcp,
  request_proxy,
  count_readers,
  analytics,
  strict,
  hold_breaking,
}: Switches) {
  return {
    redirectPlatformHost: redirect_platform_host === 1,
    mcp: mcp === 1,
    requestProxy: request_proxy === 1,
    countReaders: count_readers === 1,
    analytics: analytics === null ? null : (JSON.parse(analytics) as AnalyticsSetting),
    strict: strict === 1,
    holdBreaking: hold_breaking === 1,
  };
}

/** The part of a project that its audit entries show. */
function presentChange({ name, slug, ...row }: Pick<ProjectRow, 'name' | 'slug'> & Switches) {
  return { name, slug, ...switchesOf(row) };
}

/** Puts a project on another plan. */
export async function changePlan(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { id }: ProjectRow,
  plan: Plan,
  actor: Actor,
): Promise<ProjectRow> {
  return db.transaction().execute(async (trx) => {
    const before = await lockOrThrow(trx, id);
    if (plan === before.plan) return before;
    await updateProject(trx, id, { plan });
    await writeAudit(trx, now(), actor, {
      action: 'project.plan',
      projectId: id,
      target: before.slug,
      details: { from: before.plan, to: plan },
    });
    return { ...before, plan };
  });
}

/**
 * Deletes a project with everything in it, and takes its sites offline. Its slug stays reserved for 90 days for those
 * who owned it. `confirm` is its slug.
 */
export async function deleteProject(
  { db, now, siteChanged }: Pick<Deps, 'db' | 'now' | 'siteChanged'>,
  { id, slug }: ProjectRow,
  confirm: string,
  caller: Caller,
): Promise<void> {
  if (confirm !== slug) {
    throw invalidRequest(`confirm must be the project's slug, ${slug}, to delete it.`);
  }
  await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, id, 'project.delete');
    await lockDomains(trx, await listDomainIds(trx, id));
    await releaseSlug(trx, project, now());
    await deleteRow(trx, id);
    await writeAudit(trx, now(), caller.actor, {
      action: 'project.delete',
      projectId: id,
      target: slug,
      details: { name: project.name },
    });
    await recordSiteChange(trx, id, now());
  });
  siteChanged(id);
}

/** Locks a project until the transaction ends, and returns it. Throws ApiError when it is gone. */
async function lockOrThrow(trx: Trx, id: string): Promise<ProjectRow> {
  const project = await lockProject(trx, id);
  if (!project) throw notFound('project');
  return project;
}

/** The project with a slug, regardless of roles. Throws ApiError where there is none. */
export async function projectBySlug(db: Db, slug: string): Promise<ProjectRow> {
  const found = await findProject(db, slug, null);
  if (!found) throw notFound('project');
  return found.project;
}

/**
 * Changes the slug of a locked project. Throws ApiError `conflict` where it is taken or reserved; for a token of one
 * project, also where it is reserved for other projects of its user.
 */
async function moveSlug(
  trx: Trx,
  { id, slug }: ProjectRow,
  next: string,
  { actor, token }: Caller,
  at: number,
): Promise<void> {
  if (next === slug) return;
  // Not left to the unique index alone: two projects that swap their slugs would wait for each other.
  if (await findProject(trx, next, null)) throw slugTaken(next);
  await updateProject(trx, id, { slug: next });
  const userId = token && token.projectId !== null ? null : actor.userId;
  await claimReservedSlug(trx, next, { projectId: id, userId }, at);
  await releaseSlug(trx, { id, slug }, at);
}

async function refusingTaken<T>(slug: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw slugTaken(slug);
    throw error;
  }
}
