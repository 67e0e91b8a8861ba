import { isRecord } from '../is-record.ts';
import type { Filter, Literal } from './filter/filter.ts';
import { parseFilter } from './filter/parse-filter.ts';
import { type Projection, readProjection } from './projection.ts';
import { holderOf, type Resource, resolve } from './resource.ts';
import { findAttribute, type ResourceType } from './schema.ts';
import { badRequest } from './scim-error.ts';

const DEFAULT_COUNT = 100;
/** The most resources of a page. */
export const MAX_COUNT = 200;

/** What a list or a search asks for (RFC 7644, section 3.4.2). */
export interface ListQuery {
  readonly filter: Filter | undefined;
  readonly sortBy: string | undefined;
  readonly isDescending: boolean;
  /** 1 for the first. */
  readonly startIndex: number;
  readonly count: number;
  readonly projection: Projection;
}

/** Reads the parameters of a list, from a query or from the body of `/.search`. Throws ScimError. */
export function readListQuery(input: Readonly<Record<string, unknown>>): ListQuery {
  const { filter, sortBy, sortOrder } = input;
  const text = textOf(filter, 'filter');
  const order = textOf(sortOrder, 'sortOrder')?.toLowerCase();
  if (order !== undefined && order !== 'ascending' && order !== 'descending') {
    throw badRequest('invalidValue', 'sortOrder must be ascending or descending.');
  }
  return {
    filter: text === undefined ? undefined : parseFilter(text),
    sortBy: textOf(sortBy, 'sortBy'),
    isDescending: order === 'descending',
    startIndex: Math.max(1, integerOf(input.startIndex, 'startIndex') ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, integerOf(input.count, 'count') ?? DEFAULT_COUNT)),
    projection: readProjection(input),
  };
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw badRequest('invalidValue', `${name} must be one text.`);
  return value;
}

function integerOf(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^-?[0-9]{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 999_999_999) {
    throw badRequest('invalidValue', `${name} must be an integer.`);
  }
  return number;
}

export function listResponse(
  resources: readonly Resource[],
  totalResults: number,
  { startIndex }: Pick<ListQuery, 'startIndex'>,
) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...{ totalResults, startIndex, itemsPerPage: resources.length },
    Resources: resources,
  };
}

/**
 * What a filter demands of single attributes whatever else it asks for: the value of each `name eq value` that must be
 * true, by the attribute in lower case, such as `username` or `emails.value`. The store looks these up.
 */
export function demandsOf(filter: Filter | undefined): ReadonlyMap<string, Literal> {
  const demands = new Map<string, Literal>();
  const collect = (each: Filter, prefix = ''): void => {
    if (each.kind === 'and') for (const part of each.of) collect(part, prefix);
    else if (each.kind === 'within') collect(each.filter, `${each.path.name.toLowerCase()}.`);
    else if (each.kind === 'compare' && each.operator === 'eq') {
      const { name, sub } = each.path;
      demands.set(prefix + (sub === undefined ? name : `${name}.${sub}`).toLowerCase(), each.value);
    }
  };
  if (filter) collect(filter);
  return demands;
}

/** Sorts resources as a query asks; those without the attribute come last, or first in descending order. */
export function sorted(
  type: ResourceType,
  resources: Resource[],
  { sortBy, isDescending }: ListQuery,
): Resource[] {
  if (sortBy === undefined) return resources;
  const match = /^(?:(urn:.+):)?([\w$-]+)(?:\.([\w$-]+))?$/i.exec(sortBy);
  const target =
    match?.[2] && resolve(type, { urn: match[1]?.toLowerCase(), name: match[2], sub: match[3] });
  if (!target) throw badRequest('invalidValue', `There is no attribute ${sortBy} to sort by.`);
  const { attribute, sub } = target;
  const leaf = sub ?? findAttribute(attribute.sub ?? [], 'value') ?? attribute;
  if (leaf.type === 'complex') throw badRequest('invalidValue', `${sortBy} has parts; name one.`);
  const keyOf = (resource: Resource): string | undefined => {
    const value = holderOf(resource, target)?.[attribute.name];
    const list = Array.isArray(value) ? value : [value];
    const one = list.find((each) => isRecord(each) && each.primary === true) ?? list[0];
    const plain = isRecord(one) ? one[leaf.name] : one;
    if (plain === undefined || plain === null) return undefined;
    return leaf.caseExact ? `${plain}` : `${plain}`.toLowerCase();
  };
  const direction = isDescending ? -1 : 1;
  return resources
    .map((resource) => ({ resource, key: keyOf(resource) }))
    .sort(({ key: a }, { key: b }) => {
      if (a === b) return 0;
      if (a === undefined) return direction;
      if (b === undefined) return -direction;
      return a < b ? -direction : direction;
    })
    .map(({ resource }) => resource);
}
