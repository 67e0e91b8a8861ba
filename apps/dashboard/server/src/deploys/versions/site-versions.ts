import type { Caller } from '../../accounts/caller.ts';
import { conflict, forbidden, notFound } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { hasPermission, lockProjectFor } from '../../projects/lock-project.ts';
import { instant, instantOrNull } from '../../schema-types.ts';
import { writeAudit } from '../../store/audit.ts';
import {
  type DeployRow,
  findDefaultDeploy,
  findDeploy,
  listVersionDeploys,
  pruneDeploys,
} from '../../store/deploys.ts';
import { findActivePrimary, listVersionNames } from '../../store/domains.ts';
import { type ProjectRow, updateProject } from '../../store/projects.ts';
import type { Trx } from '../../store/schema.ts';
import {
  deleteSiteVersion,
  findSiteVersion,
  insertSiteVersion,
  listSiteVersions,
  type SiteVersionRow,
  updateSiteVersion,
} from '../../store/site-versions.ts';
import { recordSiteChange } from '../../store/sites.ts';
import type { SiteVersion } from './site-version.ts';
import { compareVersions, versionState } from './version-order.ts';

/** Versions that are shown, and retired ones, whose addresses redirect for as long as there is the project. */
const MAX_VERSIONS = { shown: 50, all: 200 } as const;

/**
 * Opens a version of a locked project, or notes that it is in use. A retired one stays so until a deploy of it has
 * succeeded. Throws ApiError `conflict` where the project has too many.
 */
export async function openVersion(
  trx: Trx,
  { id }: ProjectRow,
  name: string,
  at: number,
): Promise<void> {
  const all = await listSiteVersions(trx, id);
  const known = all.find((one) => one.name === name);
  const full = whyFull(all, name);
  if (full !== undefined) throw conflict(full);
  if (known) {
    await updateSiteVersion(trx, known, { deployed_at: at });
    return;
  }
  if (all.length >= MAX_VERSIONS.all) {
    throw conflict(
      `This project has had ${MAX_VERSIONS.all} versions, retired ones included, and their addresses still redirect. Deploy to one of these names again.`,
    );
  }
  const times = { created_at: at, deployed_at: at, retired_at: null };
  await insertSiteVersion(trx, { project_id: id, name, deploy_id: null, ...times });
}

/** Why a version cannot be shown beside all others; undefined where it can. */
function whyFull(all: readonly SiteVersionRow[], name: string): string | undefined {
  const shown = all.filter((one) => one.retired_at === null && one.name !== name);
  if (shown.length < MAX_VERSIONS.shown) return undefined;
  return `This project has ${MAX_VERSIONS.shown} versions, the most that a site shows. Retire one that is no longer needed: dashboard versions retire.`;
}

/**
 * Why a version can no longer be shown: others were since its deploy was let in; undefined where it can. The project must
 * be locked.
 */
export async function whyNoRoom(
  trx: Trx,
  { project_id, name }: SiteVersionRow,
): Promise<string | undefined> {
  return whyFull(await listSiteVersions(trx, project_id), name);
}

/** The version of a deploy that is about to succeed; undefined where it was retired since the deploy came. */
export async function versionOf(
  trx: Trx,
  { project_id, version, created_at }: DeployRow,
): Promise<SiteVersionRow | undefined> {
  const found = version === null ? undefined : await findSiteVersion(trx, project_id, version);
  const isRetired = found && found.retired_at !== null && found.retired_at > created_at;
  return isRetired ? undefined : found;
}

/**
 * Shows a deploy that has succeeded as a version, which becomes the default of a site that has nothing else. The project
 * must be locked.
 */
export async function showAsVersion(
  trx: Trx,
  project: ProjectRow,
  version: SiteVersionRow,
  deployId: string,
): Promise<void> {
  await updateSiteVersion(trx, version, { deploy_id: deployId, retired_at: null });
  if (project.live_deploy_id === null && project.default_version === null)
    await updateProject(trx, project.id, { default_version: version.name });
}

/** The id of the deploy that a version shows; null where it was retired, undefined where it has shown none yet. */
export const shownBy = (
  version: Pick<SiteVersionRow, 'deploy_id' | 'retired_at'> | undefined,
): string | null | undefined =>
  version?.deploy_id ?? (version && version.retired_at !== null ? null : undefined);

/** Whether no newer deploy of the version is shown. */
export async function isNewerThanShown(
  trx: Trx,
  { project_id, deploy_id }: SiteVersionRow,
  deploy: Pick<DeployRow, 'number'>,
): Promise<boolean> {
  const shown = deploy_id === null ? undefined : await findDeploy(trx, project_id, deploy_id);
  return !shown || deploy.number > shown.number;
}

/** The versions of a project, the newest by its name first, and retired ones last. */
export async function readVersions(
  { addresses, db, now }: Pick<Deps, 'addresses' | 'db' | 'now'>,
  project: ProjectRow,
): Promise<SiteVersion[]> {
  const { id, slug, default_version } = project;
  const primary = await findActivePrimary(db, project, now());
  const origin = primary ? addresses().domain(primary.hostname) : addresses().site(slug);
  const rows = await listSiteVersions(db, id);
  const names = await listVersionNames(db, id, now());
  const urlOf = (version: string) => {
    const own = names.find((name) => name.version === version);
    return own ? addresses().domain(own.hostname) : `${origin}/${version}`;
  };
  const order = (one: SiteVersionRow, other: SiteVersionRow) =>
    Number(one.retired_at !== null) - Number(other.retired_at !== null) ||
    compareVersions(one.name, other.name);
  return rows.sort(order).map((row) => ({
    version: row.name,
    url: urlOf(row.name),
    state: stateOf(row, default_version),
    deploy:
      row.deploy_id === null || row.number === null
        ? null
        : { id: row.deploy_id, number: row.number },
    createdAt: instant(row.created_at),
    deployedAt: instant(row.deployed_at),
    retiredAt: instantOrNull(row.retired_at),
  }));
}

function stateOf(
  { name, deploy_id, retired_at }: SiteVersionRow,
  defaultVersion: string | null,
): SiteVersion['state'] {
  if (retired_at !== null) return 'retired';
  return deploy_id === null ? 'waiting' : versionState(name, defaultVersion ?? undefined);
}

/** A version as it is now. Throws ApiError where there is none. */
export async function readVersion(
  deps: Pick<Deps, 'addresses' | 'db' | 'now'>,
  project: ProjectRow,
  name: string,
): Promise<SiteVersion> {
  const found = (await readVersions(deps, project)).find(({ version }) => version === name);
  if (!found) throw notFound('version');
  return found;
}

type ChangeDeps = Pick<Deps, 'db' | 'now' | 'siteChanged'>;

/**
 * Makes a version the default one of its site, or no longer, and returns the project as it is then. Throws ApiError
 * where it cannot be.
 */
export async function changeDefault(
  { db, now, siteChanged }: ChangeDeps,
  project: ProjectRow,
  name: string,
  isDefault: boolean,
  caller: Caller,
): Promise<ProjectRow> {
  const changed = await db.transaction().execute(async (trx) => {
    const before = await lockProjectFor(trx, caller, project.id, 'deploy.activate');
    const version = await findSiteVersion(trx, project.id, name);
    if (!version) throw notFound('version');
    const next = isDefault ? name : null;
    if (next === before.default_version || (!isDefault && before.default_version !== name))
      return before;
    if (isDefault && version.deploy_id === null) throw notShown(version);
    const isHeld = before.hold_breaking === 1 && (await findDefaultDeploy(trx, before));
    if (isHeld && !(await hasPermission(trx, caller, project.id, 'deploy.confirm'))) {
      throw forbidden(
        `The project holds breaking deploys back, and nobody knows what another default version breaks for those who use the site's address. An owner of the project has to choose it.`,
      );
    }
    if (!isDefault && before.live_deploy_id === null) {
      throw conflict(
        `${name} must stay the default version: the project has no deploy without a version that could take its place. Make another version the default.`,
      );
    }
    await updateProject(trx, project.id, { default_version: next });
    await writeAudit(trx, now(), caller.actor, {
      action: 'version.default',
      projectId: project.id,
      target: next ?? 'none',
      details: { from: before.default_version, to: next },
    });
    await recordSiteChange(trx, project.id, now());
    return { ...before, default_version: next };
  });
  siteChanged(project.id);
  return changed;
}

function notShown({ name, retired_at }: SiteVersionRow) {
  return conflict(
    retired_at === null
      ? `No deploy of the version ${name} has succeeded yet, so it cannot be the default.`
      : `The version ${name} is retired, so it cannot be the default. Deploy it again to take it up.`,
  );
}

/**
 * Retires a version: its addresses redirect to the default one from now on, and the files of its deploys are removed. One
 * that was never shown is gone. Throws ApiError where there is none, and for the default one.
 */
export async function retireVersion(
  { db, now, siteChanged }: ChangeDeps,
  project: ProjectRow,
  name: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { default_version } = await lockProjectFor(trx, caller, project.id, 'deploy.create');
    const version = await findSiteVersion(trx, project.id, name);
    if (!version || version.retired_at !== null) throw notFound('version');
    if (default_version === name) {
      throw conflict(
        `${name} is the default version, to which the site's address leads. Make another one the default first: dashboard versions default.`,
      );
    }
    if (version.deploy_id === null) await deleteSiteVersion(trx, version);
    else await updateSiteVersion(trx, version, { deploy_id: null, retired_at: now() });
    await pruneDeploys(trx, project.id, await listVersionDeploys(trx, project.id, name), now());
    await writeAudit(trx, now(), caller.actor, {
      action: 'version.retire',
      projectId: project.id,
      target: name,
      details: {},
    });
    await recordSiteChange(trx, project.id, now());
  });
  siteChanged(project.id);
}
