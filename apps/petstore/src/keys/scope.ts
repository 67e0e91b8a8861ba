/** What a key may be allowed to do. Categories are of the pets' scopes. `admin` is all of it, and whatever comes. */
export const SCOPES = ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes of a key that nothing is said of: everything that there is to do with animals and orders. */
export const DEFAULT_SCOPES: readonly Scope[] = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
];

/** Whether a key with these scopes has the one that is needed. */
export function covers(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('admin');
}
