import { PERMISSIONS, type Permission } from '../../../server/src/accounts/permissions.ts';
import { ROLE_OPTIONS, type RoleName } from './roles.ts';

// What roles may do, in words, from the table by which the server decides.

const ENTRIES = Object.entries(PERMISSIONS) as [Permission, (typeof PERMISSIONS)[Permission]][];

/** What a role may do that another one may not; with null, all that it may. */
export function rightsOf(role: RoleName, without: RoleName | null = null): string[] {
  const has = (roles: readonly RoleName[], name: RoleName | null) =>
    name !== null && roles.includes(name);
  return ENTRIES.filter(([, { roles }]) => has(roles, role) && !has(roles, without)).map(
    ([, { words }]) => words,
  );
}

const list = new Intl.ListFormat('en');

/** Rights as a part of a sentence: `see deploys, upload deploys, and read the audit log`. */
export function rightsInWords(rights: readonly string[]): string {
  return list.format(rights);
}

/** The role that a role has all rights of, and some more. */
function lowerOf(role: RoleName): RoleName | null {
  const at = ROLE_OPTIONS.findIndex(({ value }) => value === role);
  return ROLE_OPTIONS[at - 1]?.value ?? null;
}

/** What whoever has a role may do, in a sentence that builds on the role below it. */
export function RoleRights({ role }: { readonly role: RoleName }) {
  const lower = lowerOf(role);
  const rights = rightsInWords(rightsOf(role, lower));
  return (
    <>
      {lower === null
        ? 'May '
        : `May do what ${lower === 'editor' ? 'an editor' : 'a viewer'} may, and `}
      {rights}.
    </>
  );
}
