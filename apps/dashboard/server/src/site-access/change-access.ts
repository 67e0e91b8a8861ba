import { isDeepStrictEqual } from 'node:util';
import { MAX_PASSWORD_LENGTH } from '../accounts/account.ts';
import type { Caller } from '../accounts/caller.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { randomId } from '../accounts/secrets.ts';
import { conflict, invalidRequest, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { listGroupsToChoose } from '../groups/project-groups.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { instant } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import { isUniqueViolation } from '../store/errors.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Db, Trx } from '../store/schema.ts';
import {
  deleteSiteKey,
  findSiteAccess,
  insertSiteKey,
  listAccessGroups,
  listSiteKeys,
  type SiteKeyRow,
  setAccessGroups,
  setPrivate,
  setSiteAccess,
} from '../store/site-access.ts';
import { countSiteSessions, deleteSiteSessions } from '../store/site-sessions.ts';
import { recordSiteChange } from '../store/sites.ts';
import { readPublicKey } from './read-public-key.ts';
import {
  MIN_SITE_PASSWORD_LENGTH,
  type NewSiteKey,
  type SiteAccessChange,
  type SiteKey,
} from './site-access.ts';

const MAX_KEYS = 10;

type AccessDeps = Pick<Deps, 'db' | 'now' | 'siteChanged'>;

/** Changes what is private, and which accounts may read. Throws ApiError where a group is none. */
export async function changeAccess(
  deps: AccessDeps & Pick<Deps, 'config'>,
  { id }: ProjectRow,
  change: SiteAccessChange,
  caller: Caller,
): Promise<void> {
  await changing(deps, id, caller, async (trx, project) => {
    const from = await settingsOf(trx, project);
    const groups =
      change.groups && (await groupsOrThrow({ ...deps, db: trx }, id, change.groups, caller));
    if (change.private !== undefined) await setPrivate(trx, id, change.private);
    if (change.everyone !== undefined)
      await setSiteAccess(trx, id, { everyone: change.everyone ? 1 : 0 });
    if (groups) await setAccessGroups(trx, id, groups);
    const to = await settingsOf(trx, {
      ...project,
      private: change.private ?? project.private,
    });
    if (isDeepStrictEqual(from, to)) return false;
    await writeAudit(trx, deps.now(), caller.actor, {
      action: 'access.update',
      projectId: id,
      target: project.slug,
      details: { from, to },
    });
    return true;
  });
}

/** What the audit log says of it: groups by their names. */
async function settingsOf(db: Db, project: ProjectRow) {
  const row = await findSiteAccess(db, project.id);
  const groups = await listAccessGroups(db, project.id);
  return {
    private: project.private,
    everyone: row?.everyone === 1,
    groups: groups.map(({ name }) => name).join(', ') || 'none',
  };
}

/** Throws ApiError for a group that may not read yet, and that the caller may not choose. */
async function groupsOrThrow(
  deps: Pick<Deps, 'db' | 'config'>,
  projectId: string,
  ids: readonly string[],
  caller: Caller,
): Promise<string[]> {
  const there = await listAccessGroups(deps.db, projectId);
  const choices = await listGroupsToChoose(deps, caller);
  const known = new Set([...there, ...choices].map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined)
    throw invalidRequest(`groups has ${missing.slice(0, 50)}, and there is no such group.`);
  return [...new Set(ids)];
}

/** Sets the shared password. All who came in by an earlier one are out. Throws ApiError for a bad one. */
export async function setSitePassword(
  deps: AccessDeps & Pick<Deps, 'passwordCost'>,
  project: ProjectRow,
  password: string,
  caller: Caller,
): Promise<void> {
  const { length } = [...password];
  if (length < MIN_SITE_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw invalidRequest(
      `password must be ${MIN_SITE_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters long; it has ${length}.`,
    );
  const hash = await hashPassword(password, deps.passwordCost);
  await putPassword(deps, project, hash, caller);
}

/** Removes the shared password. All who came in by it are out. */
export function removeSitePassword(
  deps: AccessDeps,
  project: ProjectRow,
  caller: Caller,
): Promise<void> {
  return putPassword(deps, project, null, caller);
}

function putPassword(
  deps: AccessDeps,
  { id }: ProjectRow,
  hash: string | null,
  caller: Caller,
): Promise<void> {
  return changing(deps, id, caller, async (trx, { slug }) => {
    const at = deps.now();
    const before = await findSiteAccess(trx, id);
    const had = (before?.password_hash ?? null) !== null;
    if (hash === null && !had) throw notFound('password');
    await setSiteAccess(trx, id, {
      password_hash: hash,
      password_id: hash === null ? null : randomId(16),
      password_at: hash === null ? null : at,
    });
    await writeAudit(trx, at, caller.actor, {
      action: hash === null ? 'access.password_remove' : 'access.password',
      projectId: id,
      target: slug,
      details: {},
    });
    return true;
  });
}

/** Registers a key. Throws ApiError for what is no public key, and where the project has one of that name. */
export async function addSiteKey(
  deps: AccessDeps,
  { id }: ProjectRow,
  { kid, publicKey }: NewSiteKey,
  caller: Caller,
): Promise<SiteKey> {
  if (!/^[\w.-]{1,100}$/.test(kid))
    throw invalidRequest('kid must be 1 to 100 of A-Z, a-z, 0-9, `.`, `_` and `-`.');
  const { algorithm, jwk } = readPublicKey(publicKey);
  const row: SiteKeyRow = {
    id: `key_${randomId(16)}`,
    project_id: id,
    ...{ kid, algorithm, public_key: jwk },
    created_at: deps.now(),
    created_by_email: caller.user.email,
  };
  await refusingTaken(kid, () =>
    changing(deps, id, caller, async (trx) => {
      const keys = await listSiteKeys(trx, id);
      if (keys.length >= MAX_KEYS)
        throw conflict(`A project has ${MAX_KEYS} keys at most. Remove one first.`);
      await insertSiteKey(trx, row);
      await writeAudit(trx, row.created_at, caller.actor, {
        action: 'access.key_add',
        projectId: id,
        target: kid,
        details: { id: row.id, algorithm },
      });
      return true;
    }),
  );
  return presentKey(row);
}

/** Removes a key. All who came in by it are out. Throws ApiError where there is none. */
export function removeSiteKey(
  deps: AccessDeps,
  { id }: ProjectRow,
  keyId: string,
  caller: Caller,
): Promise<void> {
  return changing(deps, id, caller, async (trx) => {
    const removed = await deleteSiteKey(trx, id, keyId);
    if (!removed) throw notFound('key');
    await writeAudit(trx, deps.now(), caller.actor, {
      action: 'access.key_remove',
      projectId: id,
      target: removed.kid,
      details: { id: keyId },
    });
    return true;
  });
}

/** Signs all readers out, at every edge within a second. How many were signed in. */
export async function endSiteSessions(
  deps: AccessDeps,
  { id }: ProjectRow,
  caller: Caller,
): Promise<number> {
  const { db, now } = deps;
  return db.transaction().execute(async (trx) => {
    const { slug } = await lockProjectFor(trx, caller, id, 'project.update');
    const at = now();
    const sessions = await countSiteSessions(trx, id, at);
    await deleteSiteSessions(trx, id);
    await writeAudit(trx, at, caller.actor, {
      action: 'access.sign_out',
      projectId: id,
      target: slug,
      details: { sessions },
    });
    return sessions;
  });
}

export function presentKey(row: SiteKeyRow): SiteKey {
  const { id, kid, algorithm, created_at, created_by_email: createdBy } = row;
  return { id, kid, algorithm, createdAt: instant(created_at), createdBy };
}

/** `change` returns whether anything did; then every edge is told. */
async function changing(
  { db, now, siteChanged }: AccessDeps,
  projectId: string,
  caller: Caller,
  change: (trx: Trx, project: ProjectRow) => Promise<boolean>,
): Promise<void> {
  const isChanged = await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, projectId, 'project.update');
    if (!(await change(trx, project))) return false;
    await recordSiteChange(trx, projectId, now());
    return true;
  });
  if (isChanged) siteChanged(projectId);
}

async function refusingTaken(kid: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUniqueViolation(error))
      throw conflict(`The project has a key named ${kid} already. Choose another name.`);
    throw error;
  }
}
