import { isRecord } from '../../is-record.ts';
import { holderOf, type Resource, resolve } from '../resource.ts';
import { type Attribute, findAttribute, type ResourceType } from '../schema.ts';
import { badRequest } from '../scim-error.ts';
import {
  type AttributePath,
  type Comparison,
  comparisonsIn,
  type Filter,
  type Literal,
} from './filter.ts';

type Test = (resource: Resource) => boolean;

/** How often a filter may compare, all resources together: more would hold up everybody else. */
const MAX_COMPARISONS = 5_000_000;

/** Those of the resources that a filter means. Throws ScimError `invalidFilter`, and `tooMany` where it asks too much. */
export function matching<T extends Resource>(
  type: ResourceType,
  filter: Filter | undefined,
  resources: readonly T[],
): T[] {
  if (!filter) return [...resources];
  const matches = compileFilter(type, filter);
  if (comparisonsIn(filter) * resources.length > MAX_COMPARISONS) {
    throw badRequest(
      'tooMany',
      `The filter asks too much of ${resources.length} resources. Ask for less at once, or name one with eq.`,
    );
  }
  return resources.filter(matches);
}

/** Makes a filter a test for resources of a kind. Throws ScimError `invalidFilter` where it names what the kind lacks. */
function compileFilter(type: ResourceType, filter: Filter): Test {
  return compile(filter, (path) => {
    const target = resolve(type, path);
    if (!target) throw unknown(path);
    const { attribute, sub } = target;
    return {
      attribute,
      sub,
      valuesIn: (resource) => listOf(holderOf(resource, target)?.[attribute.name]),
    };
  });
}

/** Makes a filter a test for single values of an attribute with several. Throws ScimError `invalidFilter`. */
export function compileValueFilter(attribute: Attribute, filter: Filter): Test {
  return compile(filter, (path) => {
    const sub = findAttribute(attribute.sub ?? [], path.name);
    if (!sub || path.urn !== undefined || path.sub !== undefined) throw unknown(path);
    return { attribute: sub, sub: undefined, valuesIn: (value) => listOf(value[sub.name]) };
  });
}

interface Found {
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
  valuesIn(resource: Resource): readonly unknown[];
}

function compile(filter: Filter, find: (path: AttributePath) => Found): Test {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const tests = filter.of.map((each) => compile(each, find));
      return filter.kind === 'and'
        ? (resource) => tests.every((test) => test(resource))
        : (resource) => tests.some((test) => test(resource));
    }
    case 'not': {
      const test = compile(filter.of, find);
      return (resource) => !test(resource);
    }
    case 'within': {
      const { attribute, sub, valuesIn } = find(filter.path);
      if (sub || attribute.type !== 'complex') throw unknown(filter.path);
      const test = compileValueFilter(attribute, filter.filter);
      return (resource) => valuesIn(resource).some((value) => isRecord(value) && test(value));
    }
    case 'present': {
      const read = readerOf(find(filter.path));
      return (resource) => read(resource).length > 0;
    }
    case 'compare': {
      const found = find(filter.path);
      const read = readerOf(found);
      const { operator, value } = filter;
      const matches = comparison(leafOf(found), operator, value);
      if (operator === 'ne')
        return (resource) => {
          const values = read(resource);
          return values.length === 0 ? value !== null : values.some(matches);
        };
      if (value === null) return (resource) => operator === 'eq' && read(resource).length === 0;
      return (resource) => read(resource).some(matches);
    }
  }
}

/** What an attribute with parts is compared by: the part that is named, or its `value`. */
function leafOf({ attribute, sub }: Found): Attribute {
  return sub ?? findAttribute(attribute.sub ?? [], 'value') ?? attribute;
}

function readerOf(found: Found): (resource: Resource) => readonly unknown[] {
  const { attribute, valuesIn } = found;
  if (attribute.type !== 'complex') return valuesIn;
  const leaf = leafOf(found);
  if (leaf === attribute) return valuesIn;
  return (resource) =>
    valuesIn(resource).flatMap((value) => (isRecord(value) ? listOf(value[leaf.name]) : []));
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

/** Whether a value compares so with the literal. Throws ScimError for an operator that the type does not have. */
function comparison(
  { name, type, caseExact }: Attribute,
  operator: Comparison,
  literal: Literal,
): (value: unknown) => boolean {
  if (type === 'complex') throw badRequest('invalidFilter', `${name} has parts; name one of them.`);
  if (type === 'boolean') {
    const wanted = typeof literal === 'string' ? literal.toLowerCase() === 'true' : literal;
    if (operator === 'eq') return (value) => value === wanted;
    if (operator === 'ne') return (value) => value !== wanted;
    throw badRequest('invalidFilter', `${name} is true or false: ask with eq or ne.`);
  }
  const isOrder = ['gt', 'ge', 'lt', 'le'].includes(operator);
  const plain: (value: unknown) => string =
    type === 'dateTime' && (isOrder || operator === 'eq' || operator === 'ne')
      ? (value) => instantOf(value, name)
      : caseExact
        ? (value) => `${value}`
        : (value) => `${value}`.toLowerCase();
  const wanted = plain(literal);
  switch (operator) {
    case 'eq':
      return (value) => plain(value) === wanted;
    case 'ne':
      return (value) => plain(value) !== wanted;
    case 'co':
      return (value) => plain(value).includes(wanted);
    case 'sw':
      return (value) => plain(value).startsWith(wanted);
    case 'ew':
      return (value) => plain(value).endsWith(wanted);
    case 'gt':
      return (value) => plain(value) > wanted;
    case 'ge':
      return (value) => plain(value) >= wanted;
    case 'lt':
      return (value) => plain(value) < wanted;
    case 'le':
      return (value) => plain(value) <= wanted;
  }
}

/** An instant in the one spelling that sorts. */
function instantOf(value: unknown, name: string): string {
  const at = new Date(String(value));
  if (Number.isNaN(at.getTime()))
    throw badRequest(
      'invalidFilter',
      `${name} is compared with an instant, such as 2026-11-21T08:40:00Z.`,
    );
  return at.toISOString();
}

function unknown({ name, sub }: AttributePath) {
  const path = sub === undefined ? name : `${name}.${sub}`;
  return badRequest('invalidFilter', `There is no attribute ${path} here to filter by.`);
}
