import { hash } from 'node:crypto';
import { isPrintable, readEmail } from '../../accounts/account-input.ts';
import { isRecord } from '../../is-record.ts';
import { instant } from '../../schema-types.ts';
import type { ScimUserRow } from '../../store/scim.ts';
import type { Resource } from '../resource.ts';
import { ENTERPRISE_URN, USER_URN } from '../schema.ts';
import { badRequest } from '../scim-error.ts';

/** How an account's directory is told about it: all but `id`, `groups` and `meta`, which clients do not set. */
export function userAttributes({ email, name, disabled_at, scim }: ScimUserRow): Resource {
  const said = scim ? (JSON.parse(scim.attributes) as Resource) : {};
  const emails = Array.isArray(said.emails) ? (said.emails as Resource[]) : [];
  const isKnown = emails.some(({ value }) => `${value}`.toLowerCase() === email);
  return {
    ...said,
    userName: scim?.user_name ?? email,
    ...(scim && scim.external_id !== null && { externalId: scim.external_id }),
    displayName: said.displayName ?? name,
    // The account's own address counts, whatever the directory said before it was changed here.
    emails: isKnown ? emails : [{ value: email, type: 'work', primary: true }],
    active: disabled_at === null,
  };
}

/** A user as responses have it. `address`: where SCIM is, such as `https://dash.example.com/scim/v2`. */
export function presentUser(
  row: ScimUserRow,
  groups: readonly { id: string; name: string }[],
  address: string,
): Resource {
  const attributes = userAttributes(row);
  const hasExtension = isRecord(attributes[ENTERPRISE_URN]);
  return {
    schemas: [USER_URN, ...(hasExtension ? [ENTERPRISE_URN] : [])],
    id: row.id,
    ...attributes,
    groups: groups.map(({ id, name }) => ({
      ...{ value: id, display: name, type: 'direct' },
      $ref: `${address}/Groups/${id}`,
    })),
    meta: {
      resourceType: 'User',
      created: instant(row.created_at),
      lastModified: instant(row.scim?.updated_at ?? row.created_at),
      location: `${address}/Users/${row.id}`,
      version: userVersion(row),
    },
  };
}

/** The entity tag of a user: weak, since the order of members may differ. */
export function userVersion(row: ScimUserRow): string {
  return `W/"${hash('sha256', JSON.stringify(userAttributes(row)), 'hex').slice(0, 32)}"`;
}

/** A userName as it is compared. */
export function userNameKey(userName: string): string {
  return userName.trim().normalize('NFC').toLowerCase();
}

/**
 * The e-mail address of an account by what a directory says: the primary of its addresses, else that of work, else the
 * first; without any, the userName. Throws ScimError where that is no address.
 */
export function addressOf({ userName, emails }: Resource): string {
  const list = Array.isArray(emails) ? (emails as Resource[]) : [];
  const withValue = list.filter(({ value }) => typeof value === 'string');
  const chosen =
    withValue.find(({ primary }) => primary === true) ??
    withValue.find(({ type }) => `${type}`.toLowerCase() === 'work') ??
    withValue[0];
  try {
    return readEmail(`${chosen?.value ?? userName}`);
  } catch {
    throw badRequest(
      'invalidValue',
      chosen
        ? 'The primary value of emails must be an e-mail address, such as name@example.com.'
        : 'userName must be an e-mail address, such as name@example.com, where emails has none.',
    );
  }
}

const MAX_NAME_LENGTH = 100;

/** The name of an account by what a directory says; undefined where it says none that can be shown. */
export function nameOf({ displayName, name }: Resource): string | undefined {
  const parts = isRecord(name) ? name : {};
  const whole = [parts.givenName, parts.familyName].filter(Boolean).join(' ');
  for (const text of [displayName, parts.formatted, whole]) {
    const shown = [...`${text ?? ''}`.replace(/\s+/g, ' ').trim()]
      .slice(0, MAX_NAME_LENGTH)
      .join('');
    if (isPrintable(shown, MAX_NAME_LENGTH)) return shown;
  }
  return undefined;
}
