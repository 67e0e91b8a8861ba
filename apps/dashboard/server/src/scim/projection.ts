import { isRecord } from '../is-record.ts';
import type { Resource } from './resource.ts';
import { badRequest } from './scim-error.ts';

/** Which attributes a client wants (RFC 7644, section 3.9), in lower case; undefined: those of the default. */
export interface Projection {
  readonly only: ReadonlySet<string> | undefined;
  readonly without: ReadonlySet<string>;
}

/** Reads `attributes` and `excludedAttributes`, texts with commas or lists. Throws ScimError. */
export function readProjection({
  attributes,
  excludedAttributes,
}: Readonly<Record<string, unknown>>): Projection {
  const only = namesOf(attributes, 'attributes');
  return {
    only: only.size === 0 ? undefined : only,
    without: namesOf(excludedAttributes, 'excludedAttributes'),
  };
}

function namesOf(value: unknown, parameter: string): Set<string> {
  if (value === undefined || value === null) return new Set();
  const names = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [0];
  if (names.length > 200 || names.some((name) => typeof name !== 'string')) {
    throw badRequest(
      'invalidValue',
      `${parameter} must be names of attributes with commas between.`,
    );
  }
  return new Set(
    (names as string[])
      .map((name) =>
        name
          .trim()
          .toLowerCase()
          .replace(/^urn:ietf:params:scim:schemas:core:2\.0:\w+:/, ''),
      )
      .filter((name) => name !== ''),
  );
}

/** Whether a response will have an attribute of a resource itself. */
export function isWanted({ only, without }: Projection, name: string): boolean {
  const lower = name.toLowerCase();
  if (only) return [...only].some((each) => each === lower || each.startsWith(`${lower}.`));
  return !without.has(lower);
}

/** A resource with what the client wants of it; its id and its schemas are always there. */
export function project(resource: Resource, { only, without }: Projection): Resource {
  if (!only && without.size === 0) return resource;
  return pick(resource, '', (name) =>
    ['id', 'schemas'].includes(name) ? true : only ? wantedBy(only, name) : !without.has(name),
  );
}

/** Whether a name is wanted, or a part of it is, or it is a part of what is. */
function wantedBy(only: ReadonlySet<string>, name: string): boolean {
  for (const each of only) {
    if (each === name || isBelow(each, name) || isBelow(name, each)) return true;
  }
  return false;
}

const isBelow = (name: string, above: string) =>
  name.startsWith(`${above}.`) || name.startsWith(`${above}:`);

function pick(object: Resource, prefix: string, isWantedName: (name: string) => boolean): Resource {
  const picked: Resource = {};
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key.toLowerCase();
    if (!isWantedName(name)) continue;
    const below = `${name}${key.startsWith('urn:') ? ':' : '.'}`;
    if (isRecord(value)) picked[key] = pick(value, below, isWantedName);
    else if (Array.isArray(value) && key !== 'schemas') {
      picked[key] = value.map((each) => (isRecord(each) ? pick(each, below, isWantedName) : each));
    } else picked[key] = value;
  }
  return picked;
}
