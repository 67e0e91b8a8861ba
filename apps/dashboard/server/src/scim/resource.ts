import { isRecord } from '../is-record.ts';
import type { AttributePath } from './filter/filter.ts';
import { type Attribute, attributesOf, findAttribute, type ResourceType } from './schema.ts';
import { badRequest } from './scim-error.ts';

/** The attributes of a resource, in the spelling of its schema; those of the extension below its URN. */
export type Resource = Record<string, unknown>;

/** Where an attribute is in a resource of a kind. */
export interface Target {
  /** The URN below which it is; undefined: in the resource itself. */
  readonly urn: string | undefined;
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
}

/** The attribute that a path names; undefined where the kind has none of that name. */
export function resolve(type: ResourceType, path: AttributePath): Target | undefined {
  const { schema, extension } = type;
  const isExtension = path.urn !== undefined && path.urn === extension?.id.toLowerCase();
  if (path.urn !== undefined && !isExtension && path.urn !== schema.id.toLowerCase())
    return undefined;
  const attributes = isExtension ? (extension?.attributes ?? []) : attributesOf(type);
  const attribute = findAttribute(attributes, path.name);
  if (!attribute) return undefined;
  const sub = path.sub === undefined ? undefined : findAttribute(attribute.sub ?? [], path.sub);
  if (path.sub !== undefined && !sub) return undefined;
  return { urn: isExtension ? extension?.id : undefined, attribute, sub };
}

/** The object that has the attribute of a target: the resource, or its extension. */
export function holderOf(resource: Resource, { urn }: Target): Resource | undefined {
  if (urn === undefined) return resource;
  const extension = resource[urn];
  return isRecord(extension) ? extension : undefined;
}

const MAX_TEXT_LENGTH = 1_000;
const MAX_VALUES = 100;

/**
 * A value for an attribute in the spelling of its schema; undefined: none. Unknown parts are left out. Texts `True` and
 * `False` count as booleans, which Entra ID sends so. Throws ScimError `invalidValue`.
 */
export function readValue(attribute: Attribute, value: unknown, name = attribute.name): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (!attribute.multiValued) return readOne(attribute, value, name);
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MAX_VALUES && attribute.name !== 'members') {
    throw badRequest(
      'invalidValue',
      `${name} has ${list.length} values; ${MAX_VALUES} are the most.`,
    );
  }
  const read = list.flatMap((one) => {
    const found = readOne(attribute, one, name);
    return found === undefined ? [] : [found];
  });
  return read.length === 0 ? undefined : withOnePrimary(read as Resource[]);
}

function readOne(attribute: Attribute, value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  switch (attribute.type) {
    case 'boolean': {
      const word = typeof value === 'string' ? value.toLowerCase() : value;
      if (word === true || word === 'true') return true;
      if (word === false || word === 'false') return false;
      throw badRequest('invalidValue', `${name} must be true or false.`);
    }
    case 'complex':
      return readComplex(attribute, value, name);
    default:
      if (typeof value !== 'string') throw badRequest('invalidValue', `${name} must be text.`);
      if (value.length > MAX_TEXT_LENGTH || value.includes('\0') || !value.isWellFormed()) {
        throw badRequest(
          'invalidValue',
          `${name} must be text of at most ${MAX_TEXT_LENGTH} characters, without NUL.`,
        );
      }
      return value;
  }
}

function readComplex(attribute: Attribute, value: unknown, name: string): unknown {
  const parts = attribute.sub ?? [];
  // A bare value stands for an object with it.
  const object = isRecord(value) ? value : { value };
  if (!isRecord(value) && !findAttribute(parts, 'value')) {
    throw badRequest('invalidValue', `${name} must be an object.`);
  }
  const read: Resource = {};
  for (const [key, part] of Object.entries(object)) {
    const known = findAttribute(parts, key);
    const found = known && readValue(known, part, `${name}.${known.name}`);
    if (known && found !== undefined) read[known.name] = found;
  }
  return Object.keys(read).length === 0 ? undefined : read;
}

/** The last of several primary values is the primary one. */
export function withOnePrimary(values: readonly Resource[]): Resource[] {
  const last = values.findLastIndex(({ primary }) => primary === true);
  return values.map((value, at) =>
    value.primary === true && at !== last ? { ...value, primary: false } : value,
  );
}

/** A resource as a client sends it whole: what its kind knows and clients may set. Throws ScimError. */
export function readResource(type: ResourceType, body: unknown): Resource {
  if (!isRecord(body)) throw badRequest('invalidSyntax', 'The body must be a JSON object.');
  const resource = readAttributes(attributesOf(type), body);
  const { extension } = type;
  const said =
    extension &&
    Object.entries(body).find(([key]) => key.toLowerCase() === extension.id.toLowerCase());
  if (said && isRecord(said[1])) {
    const more = readAttributes(extension.attributes, said[1]);
    if (Object.keys(more).length > 0) resource[extension.id] = more;
  }
  checkRequired(type, resource);
  return resource;
}

function readAttributes(attributes: readonly Attribute[], body: Resource): Resource {
  const read: Resource = {};
  for (const [key, value] of Object.entries(body)) {
    const attribute = findAttribute(attributes, key);
    if (!attribute || attribute.mutability === 'readOnly') continue;
    const found = readValue(attribute, value);
    if (found !== undefined) read[attribute.name] = found;
  }
  return read;
}

/** Throws ScimError where a resource lacks what its kind needs. */
export function checkRequired({ schema }: ResourceType, resource: Resource): void {
  for (const { name, required } of schema.attributes) {
    if (required && resource[name] === undefined)
      throw badRequest('invalidValue', `${name} is required.`);
  }
}
