import { nearest } from '@petstore/service/nearest.ts';
import { count, prefix } from '@petstore/service/text.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { fromPointer, type Location, type Source, toPointer, valueAt } from '../syntax/source.ts';
import { type DocumentFinding, misspellingHint } from './document-finding.ts';
import { isMethod, METHODS } from './methods.ts';
import { isObject, type OpenApiDocument } from './openapi-types.ts';
import { typeNameOf } from './read-document.ts';

/** The members used of the validator's errors (ajv's ErrorObject). */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
  readonly schemaPath: string;
  readonly message?: string;
  readonly parentSchema?: {
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, unknown>>;
  };
}

/** How many of hundreds of thousands of errors are read. A place may have a dozen, and only some are reported. */
const MAX_ERRORS = 20_000;

/** Formats are ignored: an odd e-mail address keeps nobody from reading the documentation. */
const validator = new Validator({
  allErrors: true,
  verbose: true,
  validateFormats: false,
  // OpenAPI's own schemas need no validation, which would take longer than a small document.
  validateSchema: false,
});

/**
 * The problems that OpenAPI's own JSON Schema finds. Where a value fits none of several shapes, the deepest place at
 * which they fail is reported, and not how each of them fails.
 */
export async function schemaProblems(document: OpenApiDocument): Promise<DocumentFinding[]> {
  // The validator does not accept a bigint as a number.
  const { errors = [] } = await validator.validate(
    withoutBigints(document) as Record<string, unknown>,
  );
  // A text instead of a list reports problems of $refs, which are checked elsewhere.
  if (typeof errors === 'string') return [];
  const groups = meaningful(errors.slice(0, MAX_ERRORS) as SchemaError[], document);
  const told = withoutMisspelt(groups, document);
  return told.map((group) => inWords(group, document));
}

/** Without unknown members that are reported already, together with the member that was meant. */
function withoutMisspelt(groups: readonly SchemaError[][], document: OpenApiDocument) {
  const meant = new Set<string>();
  for (const [error] of groups) {
    if (error?.keyword !== 'required') continue;
    const misspelt = misspeltMember(error, document);
    if (misspelt !== undefined) meant.add(`${error.instancePath}${toPointer([misspelt])}`);
  }
  return groups.filter(
    ([error]) =>
      !error ||
      !isUnknown(error) ||
      !meant.has(`${error.instancePath}${toPointer([memberOf(error)])}`),
  );
}

function isUnknown({ keyword }: SchemaError): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
}

/** The member that an error says is unknown. */
function memberOf({ params }: SchemaError): string {
  return String(params.additionalProperty ?? params.unevaluatedProperty);
}

/** The member that an object has instead of a required one: `titel` for `title`. */
function misspeltMember(error: SchemaError, document: OpenApiDocument): string | undefined {
  const object = valueAt(document, fromPointer(error.instancePath));
  if (!isObject(object)) return undefined;
  const known = error.parentSchema?.properties ?? {};
  const strange = Object.keys(object).filter(
    (name) => !Object.hasOwn(known, name) && !name.startsWith('x-'),
  );
  return nearest(String(error.params.missingProperty), strange);
}

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]),
  );
}

/** The useful errors, grouped where several say the same about a place. */
function meaningful(all: readonly SchemaError[], document: OpenApiDocument): SchemaError[][] {
  const errors = all.filter(
    (error) => error.keyword !== 'if' && !isOfReference(error) && !isOfOtherKind(error, document),
  );
  const isUnion = ({ keyword }: SchemaError) => keyword === 'oneOf' || keyword === 'anyOf';
  const unions = new Set(errors.filter(isUnion).map(({ instancePath }) => instancePath));
  const told = errors.filter((error) => !isUnion(error));
  const above = new Set<string>();
  for (const { instancePath } of told) {
    for (let end = instancePath.lastIndexOf('/'); end >= 0; ) {
      const parent = instancePath.slice(0, end);
      if (above.has(parent)) break;
      above.add(parent);
      end = parent.lastIndexOf('/');
    }
  }
  const at = Map.groupBy(told, ({ instancePath }) => instancePath);
  const groups: SchemaError[][] = [];
  const isText = (path: string) => typeof valueAt(document, fromPointer(path)) === 'string';
  for (const [path, here] of at) {
    // The shape that fails furthest down is the one that was meant. The root has no shapes, but a choice of members.
    if (path !== '' && unions.has(path) && above.has(path)) continue;
    // A list of words may stand here, too. An author who wrote one word meant that word.
    const isWord = here.some(({ keyword }) => keyword === 'enum') && isText(path);
    const real = here.filter(
      ({ keyword }) => keyword !== 'unevaluatedProperties' && !(isWord && keyword === 'type'),
    );
    const isCovered = (child: string) => at.has(child) || above.has(child);
    const unknown = here.filter(
      ({ keyword, params }) =>
        keyword === 'unevaluatedProperties' &&
        !isCovered(`${path}${toPointer([String(params.unevaluatedProperty)])}`),
    );
    for (const group of Map.groupBy(real.length > 0 ? real : unknown, groupKey).values()) {
      groups.push(group);
    }
  }
  // If a union failed and no other error is left, the union's own error has to be reported.
  const covered = (path: string) => above.has(path) || at.has(path);
  const bare = errors.filter((error) => isUnion(error) && !covered(error.instancePath));
  return [...groups, ...bare.slice(0, 1).map((error) => [error])];
}

/** Whether an error comes from the branch of a union for Reference Objects. It says nothing about other objects. */
function isOfReference({ parentSchema, params, keyword }: SchemaError): boolean {
  const required = parentSchema?.required ?? [];
  return (
    (required.length === 1 && required[0] === '$ref') ||
    (keyword === 'required' && params.missingProperty === '$ref')
  );
}

/** Objects of several kinds, told apart by one member, and the required members of each kind. */
const KINDS = [
  {
    objects: /\/(?:securitySchemes|securityDefinitions)\/[^/]+$/,
    by: 'type',
    musts: {
      apiKey: ['name', 'in'],
      basic: [],
      http: ['scheme'],
      oauth2: ['flows', 'flow', 'scopes'],
      openIdConnect: ['openIdConnectUrl'],
    },
  },
  {
    objects: /\/parameters\/[^/]+$/,
    by: 'in',
    musts: {
      body: ['name', 'schema'],
      formData: ['name', 'type'],
      path: ['name', 'required', 'type'],
      query: ['name', 'type'],
      header: ['name', 'type'],
      cookie: ['name'],
    },
  },
] as const;

/** Whether an error is about another kind than the one that the object says it is. */
function isOfOtherKind(error: SchemaError, document: OpenApiDocument): boolean {
  const { instancePath, keyword, params } = error;
  for (const { objects, by, musts } of KINDS) {
    const isOfKind = keyword === 'enum' && instancePath.endsWith(`/${by}`);
    const path = isOfKind ? instancePath.slice(0, -by.length - 1) : instancePath;
    if (!objects.test(path)) continue;
    const object = valueAt(document, fromPointer(path)) as Record<string, unknown>;
    const kind = isObject(object) ? object[by] : undefined;
    if (typeof kind !== 'string' || !Object.hasOwn(musts, kind)) return false;
    if (isOfKind) return document.swagger !== undefined || (kind !== 'body' && kind !== 'formData');
    const must: readonly unknown[] = (musts as Record<string, readonly string[]>)[kind] ?? [];
    const own =
      by === 'in' && document.openapi !== undefined ? [...must, 'schema', 'content'] : must;
    if (keyword === 'required') return !own.includes(params.missingProperty);
    if (keyword === 'additionalProperties') return by === 'type' || document.swagger !== undefined;
  }
  return false;
}

/** Errors with the same key are reported as one: a choice of values, a choice of members. */
function groupKey({ keyword, params, schemaPath }: SchemaError): string {
  if (keyword === 'enum' || keyword === 'const') return 'values';
  if (keyword === 'type') return 'type';
  if (keyword === 'required' && /\/(?:one|any)Of\/\d+\/required$/.test(schemaPath))
    return 'members';
  return `${keyword} ${JSON.stringify(params)}`;
}

function inWords(group: readonly SchemaError[], document: OpenApiDocument): DocumentFinding {
  const [error] = group as [SchemaError];
  const { instancePath: path, keyword, params } = error;
  const location = fromPointer(path);
  const value = valueAt(document, location);
  const name = location.length === 0 ? 'The document' : `\`${shortName(location)}\``;
  const say = (sentence: string, at = path): DocumentFinding => ({
    ...{ rule: 'structure', message: `${name} ${sentence}` },
    path: at,
  });
  const all = <T>(member: string) => [
    ...new Set(group.flatMap(({ params }) => params[member] as T)),
  ];
  switch (keyword) {
    case 'required': {
      if (location.at(-1) === 'responses') {
        return say('must have a status such as `200`, or `default`.');
      }
      const missing = all<string>('missingProperty').map((member) => `\`${member}\``);
      return {
        ...say(`must have ${alternatives(missing)}.`),
        hint: (lineOf) => misspeltHint(group, document, lineOf),
      };
    }
    case 'type': {
      const types = all<string>('type');
      const isNumber = typeof value === 'number' || typeof value === 'bigint';
      const hint = types.includes('string') && (isNumber || typeof value === 'boolean');
      return say(
        `must be ${alternatives(types.map((type) => TYPES[type] ?? type))}; it is ${typeNameOf(value)}.${hint ? ' Put it in quotes.' : ''}`,
      );
    }
    case 'enum':
    case 'const': {
      const values = [...all<unknown>('allowedValues'), ...all<unknown>('allowedValue')];
      const known = values.filter((one) => one !== undefined).map(String);
      return wrongChoice(location, value, known);
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const member = memberOf(error);
      const at = `${path}${toPointer([member])}`;
      if (location.join() === 'paths') {
        return say(`has \`${member}\`, and a path must begin with /: \`/${member}\`.`, at);
      }
      const isPathItem = location[0] === 'paths' && location.length === 2;
      const known = [
        ...Object.keys(error.parentSchema?.properties ?? {}),
        ...(isPathItem ? METHODS : []),
      ];
      return {
        ...say(`has a member that OpenAPI doesn't know here: \`${member}\`.`, at),
        hint: () => {
          const near = nearest(member, known);
          return near === undefined
            ? 'Look for a typing error, or begin its name with `x-`.'
            : `Did you mean \`${near}\`? Names of your own begin with \`x-\`.`;
        },
      };
    }
    case 'minItems':
      return say(`must have at least ${count(params.limit, 'item')}.`);
    case 'minProperties':
      return say(`must have at least ${count(params.limit, 'member')}.`);
    case 'uniqueItems':
      return say('must not have the same item twice.');
    case 'pattern':
      return say(`is ${quoted(value)}, which doesn't look as it must: ${params.pattern}.`);
    default:
      return say(
        `is not as OpenAPI has it: it ${error.message ?? 'is of none of the shapes that may be here'}.`,
      );
  }
}

/** A value where only a few words are allowed. */
export function wrongChoice(
  location: Location,
  value: unknown,
  known: readonly string[],
): DocumentFinding {
  const words = known.map((word) => `\`${word}\``);
  return {
    rule: 'structure',
    message: `\`${shortName(location.map(String))}\` must be ${alternatives(words)}; it is ${quoted(value)}.`,
    path: toPointer(location),
    hint: () => {
      if (value === null && known.includes('null')) return 'Put it in quotes.';
      if (typeof value !== 'string') return undefined;
      const meant = OTHER_NAMES[value.toLowerCase()] ?? value;
      const near = known.includes(meant) ? meant : nearest(value, known);
      return near === undefined ? undefined : `Did you mean \`${near}\`?`;
    },
  };
}

/** Names of types in other languages, and formats that stand in place of their type. */
const OTHER_NAMES: Record<string, string> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer' },
  ...{ float: 'number', double: 'number', decimal: 'number', bool: 'boolean', list: 'array' },
  ...{ str: 'string', text: 'string', date: 'string', 'date-time': 'string', uuid: 'string' },
  ...{ map: 'object', dict: 'object', file: 'string' },
};

function misspeltHint(
  group: readonly SchemaError[],
  document: OpenApiDocument,
  lineOf: Source['lineOf'],
): string | undefined {
  for (const error of group) {
    const misspelt = misspeltMember(error, document);
    if (misspelt === undefined) continue;
    return misspellingHint(
      misspelt,
      [...fromPointer(error.instancePath), misspelt],
      lineOf,
      error.params.missingProperty,
    );
  }
  return undefined;
}

const TYPES: Record<string, string> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
  null: 'null',
};

/** `info.version`; for a place far down its last members; for an operation `GET /pets`. */
function shortName(location: readonly string[]): string {
  const [part, path, method] = location;
  if (part === 'paths' && location.length === 3 && method && isMethod(method)) {
    return `${method.toUpperCase()} ${path}`;
  }
  if (part === 'paths' && location.length === 2) return String(path);
  const isItem = /^\d+$/.test(location.at(-2) ?? '');
  return location.slice(isItem ? -3 : -2).join('.');
}

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `\`${prefix(value, 100)}\`` : typeNameOf(value);
}
