import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../is-record.ts';
import { comparisonsIn, type Filter } from './filter/filter.ts';
import { compileValueFilter } from './filter/match-filter.ts';
import { type PatchPath, parsePath } from './filter/parse-filter.ts';
import { joinedOperations } from './joined-operations.ts';
import { findKey } from './json.ts';
import {
  checkRequired,
  type Resource,
  readValue,
  resolve,
  type Target,
  withOnePrimary,
} from './resource.ts';
import type { Attribute, ResourceType } from './schema.ts';
import { badRequest, ScimError } from './scim-error.ts';

const MAX_OPERATIONS = 1_000;

/** How often an operation may look at a value of a list, all together: more would hold up everybody else. */
const MAX_WORK = 200_000;

interface Work {
  left: number;
}

type Op = 'add' | 'remove' | 'replace';

/**
 * A resource after the operations of a PATCH (RFC 7644, section 3.5.2); the one before stays as it is. It takes what
 * directories send beyond the standard: operations in any case, names with dots and filters as keys of a value without a
 * path, and the values to remove in `value`. At most 1,000 operations, and MAX_WORK. Throws ScimError.
 */
export function applyPatch(type: ResourceType, before: Resource, body: unknown): Resource {
  const operations = isRecord(body) && findKey(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest('invalidSyntax', 'The body must have Operations, a list that is not empty.');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimError(
      413,
      `${operations.length} operations are too many at once; ${MAX_OPERATIONS} are the most. Send several requests.`,
      { scimType: 'tooMany' },
    );
  }
  const resource = structuredClone(before);
  const work: Work = { left: MAX_WORK };
  for (const operation of joinedOperations(operations))
    applyOperation(type, resource, operation, work);
  checkRequired(type, resource);
  return resource;
}

function applyOperation(
  type: ResourceType,
  resource: Resource,
  operation: unknown,
  work: Work,
): void {
  if (!isRecord(operation)) throw badRequest('invalidSyntax', 'An operation must be an object.');
  const op = `${findKey(operation, 'op')}`.toLowerCase() as Op;
  if (!['add', 'remove', 'replace'].includes(op)) {
    throw badRequest('invalidSyntax', 'op must be add, remove or replace.');
  }
  const path = findKey(operation, 'path');
  const value = findKey(operation, 'value');
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw badRequest('invalidPath', 'path must be text.');
    if (isRecord(value) && isExtension(type, path)) applyAll(type, resource, op, value, work, path);
    else applyTo(type, resource, op, parsePath(path), value, { isStrict: true, work });
    return;
  }
  if (op === 'remove') throw badRequest('noTarget', 'remove needs a path.');
  if (!isRecord(value)) {
    throw badRequest('invalidSyntax', 'Without a path, value must be an object with attributes.');
  }
  applyAll(type, resource, op, value, work);
}

/** Each member of a value is an attribute; what the kind does not have, or clients cannot set, is left alone. */
function applyAll(
  type: ResourceType,
  resource: Resource,
  op: Op,
  value: Resource,
  work: Work,
  urn?: string,
): void {
  for (const [key, part] of Object.entries(value)) {
    if (urn === undefined && isRecord(part) && isExtension(type, key)) {
      applyAll(type, resource, op, part, work, key);
    } else if (key.toLowerCase() !== 'schemas') {
      const path = parsePath(urn === undefined ? key : `${urn}:${key}`);
      applyTo(type, resource, op, path, part, { isStrict: false, work });
    }
  }
}

const isExtension = ({ extension }: ResourceType, text: string) =>
  text.toLowerCase() === extension?.id.toLowerCase();

function applyTo(
  type: ResourceType,
  resource: Resource,
  op: Op,
  { path, filter }: PatchPath,
  value: unknown,
  { isStrict, work }: { isStrict: boolean; work: Work },
): void {
  const target = resolve(type, path);
  if (!target) {
    if (!isStrict || path.name.toLowerCase() === 'password') return;
    throw badRequest('invalidPath', `There is no attribute ${pathInWords(path)} here.`);
  }
  const { attribute, sub } = target;
  if (attribute.mutability === 'readOnly') {
    if (!isStrict) return;
    throw badRequest('mutability', `${attribute.name} cannot be set.`);
  }
  const holder = makeHolder(resource, target);
  spend(work, listOf(holder[attribute.name]).length * (filter ? comparisonsIn(filter) : 1));
  if (filter || (attribute.multiValued && sub)) {
    holder[attribute.name] = changeValues(attribute, holder[attribute.name], op, {
      ...{ filter, sub, value },
    });
  } else if (sub) {
    const parts = {
      ...(isRecord(holder[attribute.name]) ? (holder[attribute.name] as Resource) : {}),
    };
    const read =
      op === 'remove' ? undefined : readValue(sub, value, `${attribute.name}.${sub.name}`);
    parts[sub.name] = read;
    holder[attribute.name] = tidy(parts);
  } else {
    holder[attribute.name] = changeWhole(attribute, holder[attribute.name], op, value);
  }
  if (holder[attribute.name] === undefined) delete holder[attribute.name];
}

/** Throws ScimError `tooMany` where the operations of a PATCH look at more values than they may. */
function spend(work: Work, looks: number): void {
  work.left -= looks;
  if (work.left >= 0) return;
  throw new ScimError(
    413,
    'The operations look at too many values, one after the other. Send several requests, or PUT the whole.',
    { scimType: 'tooMany' },
  );
}

/** The value of an attribute that a path names without a filter. */
function changeWhole(attribute: Attribute, before: unknown, op: Op, value: unknown): unknown {
  if (op === 'remove') {
    if (value === undefined || value === null || !attribute.multiValued) return undefined;
    // The standard has no values here; Entra ID sends those that shall go.
    return without(attribute, before, value);
  }
  const read = readValue(attribute, value);
  if (attribute.multiValued) {
    if (op === 'replace') return read;
    return read === undefined ? before : added(before, read as Resource[]);
  }
  if (attribute.type !== 'complex' || !isRecord(before) || !isRecord(read)) return read;
  return { ...before, ...read };
}

function without(attribute: Attribute, before: unknown, value: unknown): unknown {
  const gone = new Set(
    ((readValue(attribute, value) ?? []) as Resource[]).map((each) => `${each.value}`),
  );
  const left = listOf(before).filter((each) => !gone.has(`${each.value}`));
  return left.length === 0 ? undefined : left;
}

/** Values with others beside them, each once. Values are the same by their `value` and `type`. */
function added(before: unknown, more: readonly Resource[]): Resource[] {
  const keyOf = (each: Resource) => JSON.stringify([each.value, each.type]);
  const all = new Map(listOf(before).map((each) => [keyOf(each), each]));
  for (const each of more) {
    const same = all.get(keyOf(each));
    all.delete(keyOf(each));
    all.set(keyOf(each), same && isDeepStrictEqual(same, each) ? same : { ...same, ...each });
  }
  return withOnePrimary([...all.values()]);
}

interface ValueChange {
  readonly filter: Filter | undefined;
  readonly sub: Attribute | undefined;
  readonly value: unknown;
}

/** Changes those values of an attribute that a filter names, or all of them. */
function changeValues(
  attribute: Attribute,
  before: unknown,
  op: Op,
  { filter, sub, value }: ValueChange,
): Resource[] | undefined {
  const values = listOf(before);
  const isMeant = filter ? compileValueFilter(attribute, filter) : () => true;
  const after: Resource[] = [];
  let isFound = false;
  for (const each of values) {
    if (!isMeant(each)) {
      after.push(each);
      continue;
    }
    isFound = true;
    const changed = changeOne(attribute, each, op, sub, value);
    if (changed) after.push(changed);
  }
  if (!isFound && op !== 'remove') {
    // Directories count on it that a value which is not there yet is made, with what the filter says of it.
    const made = changeOne(attribute, seedOf(attribute, filter), 'add', sub, value);
    if (made) after.push(made);
  }
  return after.length === 0 ? undefined : withOnePrimary(after);
}

function changeOne(
  attribute: Attribute,
  before: Resource,
  op: Op,
  sub: Attribute | undefined,
  value: unknown,
): Resource | undefined {
  if (sub) {
    const read =
      op === 'remove' ? undefined : readValue(sub, value, `${attribute.name}.${sub.name}`);
    return tidy({ ...before, [sub.name]: read });
  }
  if (op === 'remove') return undefined;
  const [read] = (readValue(attribute, value) ?? []) as Resource[];
  return read ? tidy({ ...before, ...read }) : before;
}

/** What a filter of equalities says of a value that is not there. Throws ScimError `noTarget` for any other filter. */
function seedOf(attribute: Attribute, filter: Filter | undefined): Resource {
  if (!filter) return {};
  const parts = filter.kind === 'and' ? filter.of : [filter];
  const seed: Resource = {};
  for (const part of parts) {
    if (part.kind !== 'compare' || part.operator !== 'eq') {
      throw badRequest('noTarget', `No value of ${attribute.name} is what the filter says.`);
    }
    seed[part.path.name] = part.value;
  }
  const [read] = (readValue(attribute, [seed]) ?? [{}]) as Resource[];
  return read ?? {};
}

/** The resource, or its extension, which is made where it is not there. */
function makeHolder(resource: Resource, { urn }: Target): Resource {
  if (urn === undefined) return resource;
  if (!isRecord(resource[urn])) resource[urn] = {};
  return resource[urn] as Resource;
}

/** Without parts that are not there; undefined where nothing is left. */
function tidy(parts: Resource): Resource | undefined {
  const entries = Object.entries(parts).filter(([, part]) => part !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function listOf(value: unknown): Resource[] {
  return Array.isArray(value) ? (value as Resource[]) : [];
}

function pathInWords({ urn, name, sub }: PatchPath['path']): string {
  return `${urn === undefined ? '' : `${urn}:`}${name}${sub === undefined ? '' : `.${sub}`}`;
}
