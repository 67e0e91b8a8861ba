import type { FastifyRequest } from 'fastify';

/** In place of a value that is not the service's own. */
const HIDDEN = '…';

/** Values of the query that may be kept: each is one that the service understands, and none can be a secret. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  limit: /^-?\d{1,6}$/,
  status: /^(?:available|pending|sold|placed|completed|cancelled)$/,
  // Twelve characters of base64url are a position in a list; a decimal is the id of an event.
  cursor: /^(?:AQ[\w-]{10}|\d{1,19})$/,
};

/** A parameter's name may be kept if it looks like one. */
const NAME = /^[A-Za-z_][\w.[\]-]{0,30}$/;

const MAX_PARAMETERS = 20;

/** Ids of things in a path: of animals, categories, orders and events, and of webhooks. */
const ID = /^(?:-?\d{1,19}|wh_[0-9a-f]{16})$/;

const KEY = /pk_(?:live|test|sand)_/;

/** Parameters whose only use is to carry a credential. */
const CREDENTIALS =
  /^(?:api[_-]?key|access[_-]?token|auth[_-]?token|bearer[_-]?token|authorization)$/i;

/** The target of a request without anything that the service does not understand. */
export function recordedTarget({ route, params, raw }: FastifyRequest): string {
  const given = (params ?? {}) as Readonly<Record<string, unknown>>;
  const path = (route.url ?? HIDDEN).replace(/:(\w+)/g, (_, name: string) => {
    const value = String(given[name] ?? '');
    return ID.test(value) ? value : HIDDEN;
  });
  return path + recordedQuery(raw.url ?? '');
}

/** The same of an address that the service itself gave in a `Link`. */
export function recordedAddress(address: string): string {
  const { pathname } = new URL(address);
  const v1 = pathname.lastIndexOf('/v1/');
  return (v1 === -1 ? pathname : pathname.slice(v1)) + recordedQuery(address);
}

function recordedQuery(url: string): string {
  const query = url.split('?').slice(1).join('?');
  if (query === '') return '';
  const parts = [...new URLSearchParams(query)].slice(0, MAX_PARAMETERS).map(([name, value]) => {
    if (!NAME.test(name) || KEY.test(name)) return HIDDEN;
    return `${name}=${HARMLESS[name]?.test(value) ? value : HIDDEN}`;
  });
  return `?${parts.join('&')}`;
}

/** Where a target has a credential: the name of the parameter, or `path`; undefined where it has none. */
export function credentialIn(url: string): string | undefined {
  const [path = '', ...rest] = url.split('?');
  if (KEY.test(decoded(path))) return 'path';
  for (const [name, value] of new URLSearchParams(rest.join('?'))) {
    if (KEY.test(name)) return HIDDEN;
    if (KEY.test(value) || (CREDENTIALS.test(name) && value !== '')) {
      return NAME.test(name) ? name : HIDDEN;
    }
  }
  return undefined;
}

/** A sandbox's key in a target, so that its owner can be told; undefined where there is none. */
export function sandboxKeyIn(url: string): string | undefined {
  return /pk_sand_[0-9A-Za-z]{38}(?![0-9A-Za-z])/.exec(decoded(url))?.[0];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
