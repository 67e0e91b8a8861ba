/**
 * What a key may be allowed to do. Categories belong to the scopes of pets. `admin` covers every scope, future ones
 * included.
 */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The default scopes of a key: everything that can be done with animals, orders, events and webhooks. */
export const DEFAULT_SCOPES: readonly Scope[] = [
  'pets:read',
  'pets:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
];

/** Whether a key with these scopes has the one that is needed. */
export function covers(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('admin');
}
