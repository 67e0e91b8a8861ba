/** What kind of object stands at a place of a document, by the names of the specification. */
export type Kind =
  | 'document'
  | 'components'
  | 'path item'
  | 'operation'
  | 'parameter'
  | 'request body'
  | 'response'
  | 'header'
  | 'media type'
  | 'encoding'
  | 'example'
  | 'link'
  | 'callback'
  | 'security scheme'
  | 'schema'
  | 'discriminator'
  /** Text, which some authors keep in a file of its own. */
  | 'text'
  /** A value of the author's, in which nothing is a reference. */
  | 'data'
  /** Anything else, such as contacts, tags and servers. */
  | 'other';

/** What stands at a place: an object of a kind, a list of them, or an object that has them by name. */
export interface Shape {
  readonly kind: Kind;
  readonly isMap: boolean;
}

export const one = (kind: Kind): Shape => ({ kind, isMap: false });
const byName = (kind: Kind): Shape => ({ kind, isMap: true });

/** The components of OpenAPI 3, each with the kind of its members. */
const COMPONENTS: Record<string, Kind> = {
  schemas: 'schema',
  parameters: 'parameter',
  responses: 'response',
  requestBodies: 'request body',
  headers: 'header',
  examples: 'example',
  securitySchemes: 'security scheme',
  links: 'link',
  callbacks: 'callback',
  pathItems: 'path item',
  mediaTypes: 'media type',
};

/** The same of Swagger 2.0, where they are at the root. */
const DEFINITIONS: Record<string, Kind> = {
  definitions: 'schema',
  parameters: 'parameter',
  responses: 'response',
};

/** The version's sections of shared objects, and where they are. */
export function sectionsOf(isSwagger: boolean): {
  readonly parent: readonly string[];
  readonly kinds: Readonly<Record<string, Kind>>;
} {
  return isSwagger
    ? { parent: [], kinds: DEFINITIONS }
    : { parent: ['components'], kinds: COMPONENTS };
}

/** Kinds that are put in place of the reference, although there is a section for them: OpenAPI 3.0 has none. */
const PUT_IN_PLACE: ReadonlySet<Kind> = new Set<Kind>(['path item', 'media type']);

/** The section in which an object of a kind is shared; undefined where references to it are replaced by it. */
export function sectionOf(kind: Kind, isSwagger: boolean): string | undefined {
  if (PUT_IN_PLACE.has(kind)) return undefined;
  const { kinds } = sectionsOf(isSwagger);
  return Object.keys(kinds).find((section) => kinds[section] === kind);
}

const byNames = (kinds: Record<string, Kind>): Record<string, Shape> =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, byName(kind)]));

const all = (shape: Shape, ...names: string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, shape]));

const EXAMPLES = { example: one('data'), examples: byName('example') };

const OPERATION = {
  parameters: one('parameter'),
  requestBody: one('request body'),
  responses: byName('response'),
  callbacks: byName('callback'),
  // The site shows them, and authors keep them in files.
  'x-codeSamples': one('other'),
  'x-code-samples': one('other'),
};

const MEDIA_TYPE = {
  ...EXAMPLES,
  schema: one('schema'),
  itemSchema: one('schema'),
  encoding: byName('encoding'),
  prefixEncoding: one('encoding'),
  itemEncoding: one('encoding'),
};

const HEADER = { ...EXAMPLES, schema: one('schema'), content: byName('media type') };

/** The members of each kind. What is missing is `other`, and extension fields are data. */
const MEMBERS: Partial<Record<Kind, Record<string, Shape>>> = {
  document: {
    ...byNames(DEFINITIONS),
    paths: byName('path item'),
    webhooks: byName('path item'),
    components: one('components'),
    securityDefinitions: byName('security scheme'),
  },
  components: byNames(COMPONENTS),
  'path item': {
    ...all(one('operation'), 'get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'),
    ...all(one('operation'), 'query'),
    additionalOperations: byName('operation'),
    parameters: one('parameter'),
  },
  operation: OPERATION,
  parameter: HEADER,
  header: HEADER,
  'request body': { content: byName('media type') },
  response: {
    headers: byName('header'),
    content: byName('media type'),
    links: byName('link'),
    schema: one('schema'),
    // Of Swagger 2.0: a body for each media type.
    examples: one('data'),
  },
  'media type': MEDIA_TYPE,
  encoding: { ...MEDIA_TYPE, headers: byName('header') },
  example: all(one('data'), 'value', 'dataValue', 'serializedValue'),
  link: { parameters: one('data'), requestBody: one('data') },
  schema: {
    ...all(byName('schema'), 'properties', 'patternProperties', 'dependentSchemas'),
    ...all(byName('schema'), '$defs', 'definitions', 'dependencies'),
    ...all(one('schema'), 'allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'additionalItems'),
    ...all(one('schema'), 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'),
    ...all(one('schema'), 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'),
    ...all(one('schema'), 'contentSchema'),
    ...all(one('data'), 'default', 'example', 'examples', 'enum', 'const'),
    discriminator: one('discriminator'),
  },
};

const TEXTS: ReadonlySet<string> = new Set(['description', 'summary', 'title']);

/** What a member of an object is. The names in a callback are expressions, each with a path item. */
export function memberShape(kind: Kind, name: string): Shape {
  const known = MEMBERS[kind];
  const shape = known && Object.hasOwn(known, name) ? known[name] : undefined;
  if (shape) return shape;
  if (name.startsWith('x-')) return one('data');
  if (kind === 'callback') return one('path item');
  if (TEXTS.has(name)) return one('text');
  return one('other');
}
