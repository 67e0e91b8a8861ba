import {
  disableLocked,
  enableLocked,
  removeAccount,
  setEmailLocked,
  tellOldAddress,
} from '../../accounts/account-life.ts';
import { NO_PASSWORD } from '../../accounts/passwords.ts';
import { randomId } from '../../accounts/secrets.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import { isUniqueViolation } from '../../store/errors.ts';
import type { Trx } from '../../store/schema.ts';
import { listScimUsers, type ScimUserRow, setScimUser } from '../../store/scim.ts';
import {
  findInstallationOwner,
  findUserByEmail,
  insertUser,
  lockUser,
  setUserName,
  type UserRow,
} from '../../store/users.ts';
import type { Resource } from '../resource.ts';
import { noResource, notUnique, ScimError } from '../scim-error.ts';
import { checkVersion } from '../versions.ts';
import { addressOf, nameOf, userAttributes, userNameKey, userVersion } from './user-resource.ts';

export type ScimDeps = Pick<Deps, 'db' | 'now' | 'addresses' | 'accountMail' | 'config'>;

/** Who asks for a change, and the entity tag that it depends on. */
export interface Change {
  readonly actor: Actor;
  readonly ifMatch: string | undefined;
}

const MAX_ATTRIBUTES_LENGTH = 32_768;

/** The account with this id. Throws ScimError where there is none. */
export async function readUser({ db }: Pick<Deps, 'db'>, id: string): Promise<ScimUserRow> {
  const [row] = await listScimUsers(db, { id });
  if (!row) throw noResource('user', id);
  return row;
}

/**
 * Makes an account without a password: its owner signs in by the company's provider, or asks for a link to set one.
 * Throws ScimError `uniqueness` where an account has the userName or the address: a directory that means it finds it by
 * a filter and changes it, and is then its directory.
 */
export async function createScimUser(
  deps: ScimDeps,
  resource: Resource,
  actor: Actor,
): Promise<ScimUserRow> {
  const { db, now } = deps;
  const email = addressOf(resource);
  const at = now();
  const user: UserRow = {
    id: `usr_${randomId(16)}`,
    email,
    name: nameOf(resource) ?? email.replace(/@.*$/, ''),
    ...{ password_hash: NO_PASSWORD, role: 'user', created_at: at, last_seen_at: null },
    ...{ disabled_at: resource.active === false ? at : null, is_provisional: 0 },
    first_steps_hidden_at: null,
    stored_told: 0,
  };
  await refusingTwice(() =>
    db.transaction().execute(async (trx) => {
      // The first account owns the installation, and a directory is set up by its owner.
      if (!(await findInstallationOwner(trx))) {
        throw new ScimError(409, 'Sign up in the dashboard first: the first account owns it.');
      }
      if (await findUserByEmail(trx, email)) throw addressTaken(email);
      if (await hasUserName(trx, resource, undefined)) throw nameTaken(resource);
      await insertUser(trx, user);
      await setScimUser(trx, rowOf(user.id, resource, at, at));
      await writeAudit(trx, at, actor, {
        action: 'account.create',
        target: email,
        details: { userName: resource.userName, externalId: resource.externalId ?? null },
      });
    }),
  );
  return readUser(deps, user.id);
}

/**
 * Changes an account as its directory says: `change` makes the new attributes of those that it has. The first change of
 * an account that was made otherwise links it, which the audit log tells. An account that is no longer active is
 * disabled: it is out everywhere at once. All of the change is stored, or nothing of it (RFC 7644, section 3.5.2), so a
 * directory may repeat one that failed. Throws ScimError; the installation's owner keeps access and address.
 */
export async function changeScimUser(
  deps: ScimDeps,
  id: string,
  change: (before: Resource) => Resource,
  { actor, ifMatch }: Change,
): Promise<ScimUserRow> {
  const { db, now } = deps;
  const once = () =>
    db.transaction().execute(async (trx) => {
      const before = await lockUser(trx, id);
      const [row] = await listScimUsers(trx, { id });
      if (!before || !row) throw noResource('user', id);
      checkVersion(ifMatch, userVersion(row));
      const said = change(userAttributes(row));
      const isActive = said.active !== false;
      if (row.role === 'owner') refuseLockOut(row, addressOf(said), isActive);
      const { attributes, email } = await withoutTaken(trx, row, said, isActive);
      const at = now();
      if (!isActive) await disableLocked(trx, before, at, actor);
      await store(trx, row, attributes, at, actor);
      await setEmailLocked(trx, before, email, at, actor);
      if (isActive) await enableLocked(trx, before, at, actor);
      return { before, email };
    });
  // Where another account takes the userName or the address after withoutTaken has looked, the second time sees it: it
  // says who has it, and whoever leaves is not kept by it.
  const { before, email } = await refusingTwice(() =>
    once().catch((error) => {
      if (isUniqueViolation(error)) return once();
      throw error;
    }),
  );
  tellOldAddress(deps, before, email);
  return readUser(deps, id);
}

/**
 * The attributes and the address of an account, where nobody else has its address and its userName: throws ScimError
 * `uniqueness`. One that is not active any more keeps the earlier ones instead: nobody stays because another has their
 * address by now. Its own address is kept as it is: what the directory says of it may be another's.
 */
async function withoutTaken(
  trx: Trx,
  row: ScimUserRow,
  attributes: Resource,
  isActive: boolean,
): Promise<{ attributes: Resource; email: string }> {
  const { userName, emails } = userAttributes(row);
  const email = addressOf(attributes);
  const isTaken = email !== row.email && (await findUserByEmail(trx, email)) !== undefined;
  if (isTaken && isActive) throw addressTaken(email);
  const isNamed = await hasUserName(trx, attributes, row.id);
  if (isNamed && isActive) throw nameTaken(attributes);
  return {
    attributes: { ...attributes, ...(isTaken && { emails }), ...(isNamed && { userName }) },
    email: isTaken || isNamed ? row.email : email,
  };
}

/** Removes an account. Projects that would be left without an owner go to the installation's owner. Throws ScimError. */
export async function deleteScimUser(
  deps: ScimDeps,
  id: string,
  { actor, ifMatch }: Change,
): Promise<void> {
  checkVersion(ifMatch, userVersion(await readUser(deps, id)));
  const owner = await findInstallationOwner(deps.db);
  await removeAccount(deps, { id }, { handOverTo: owner?.id ?? '' }, actor);
}

async function store(
  trx: Trx,
  row: ScimUserRow,
  attributes: Resource,
  at: number,
  actor: Actor,
): Promise<void> {
  const { id, email, scim } = row;
  const next = rowOf(id, attributes, scim?.created_at ?? at, at);
  if (scim && scim.user_name === next.user_name && scim.external_id === next.external_id) {
    if (scim.attributes === next.attributes) return;
  }
  if (!scim) {
    await writeAudit(trx, at, actor, {
      action: 'account.link',
      target: email,
      details: { userName: next.user_name, externalId: next.external_id },
    });
  }
  await setScimUser(trx, next);
  const name = nameOf(attributes);
  if (name === undefined || name === row.name) return;
  await setUserName(trx, id, name);
  await writeAudit(trx, at, actor, {
    action: 'account.rename',
    target: email,
    details: { from: row.name, to: name },
  });
}

function rowOf(userId: string, resource: Resource, createdAt: number, at: number) {
  const {
    userName,
    externalId,
    active: _active,
    groups: _groups,
    id: _id,
    meta: _meta,
    ...said
  } = resource;
  const attributes = JSON.stringify(said);
  if (attributes.length > MAX_ATTRIBUTES_LENGTH) {
    throw new ScimError(
      413,
      `The attributes have ${attributes.length} characters; ${MAX_ATTRIBUTES_LENGTH} are the most.`,
    );
  }
  return {
    user_id: userId,
    user_name: `${userName}`,
    user_name_key: userNameKey(`${userName}`),
    external_id: typeof externalId === 'string' ? externalId : null,
    attributes,
    ...{ created_at: createdAt, updated_at: at },
  };
}

/** Whether another account has a userName, in any case, or has it as its address. */
async function hasUserName(
  trx: Trx,
  { userName }: Resource,
  id: string | undefined,
): Promise<boolean> {
  const found = await listScimUsers(trx, { userName: userNameKey(`${userName}`) });
  return found.some((other) => other.id !== id);
}

function nameTaken({ userName }: Resource): ScimError {
  return notUnique(`An account with the userName ${userName} is here already.`);
}

function addressTaken(email: string): ScimError {
  return notUnique(
    `An account with the address ${email} is here already. Find it by the filter userName eq "${email}", and change it.`,
  );
}

/** Throws ScimError for what would lock the installation's owner, and with them everybody, out. */
function refuseLockOut({ email }: ScimUserRow, next: string, isActive: boolean): void {
  if (isActive && next === email) return;
  throw new ScimError(
    409,
    `${email} owns the installation: a directory neither disables this account nor changes its address. Hand the installation to another account first (Installation, People).`,
  );
}

async function refusingTwice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error))
      throw notUnique('An account with that userName or address is here already.');
    throw error;
  }
}
