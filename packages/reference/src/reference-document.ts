import {
  longDate,
  markNotes,
  type NoteOptions,
  readMarks,
  type Stability,
} from './extension-fields.ts';
import { eachOperation, isMethod, isObject } from './operations.ts';

/** Readable on light and on dark ground. */
const COLORS: Record<Stability | 'deprecated', string> = {
  beta: '#8a6100',
  alpha: '#8a4b00',
  experimental: '#8a4b00',
  deprecated: '#b3261e',
};

export interface PresentationOptions extends NoteOptions {
  /** The number shown for an integer beyond 2^53; its digits as text when undefined. */
  readonly largeInteger?: (value: bigint) => unknown;
}

/**
 * An OpenAPI 3.1 document in the form that the reference shows.
 *
 * The extension fields (`x-stability`, `x-deprecated-sunset`, `x-hideTryItPanel`) become texts and badges, since Scalar
 * doesn't know them. Bigints are replaced, since the browser would show them with other digits. References to other
 * documents are removed. The given document stays unchanged.
 */
export function referenceDocument<T extends object>(
  document: T,
  { largeInteger = String, ...notes }: PresentationOptions = {},
): T {
  const shown = shownValue(document, largeInteger) as Record<string, unknown>;
  for (const part of ['paths', 'webhooks']) {
    if (isObject(shown[part])) shown[part] = presentPaths(shown[part], notes);
  }
  return shown as T;
}

function presentPaths(paths: object, notes: NoteOptions): object {
  return mapMembers(paths, (item) =>
    isObject(item)
      ? mapMembers(item, (operation, method) =>
          isMethod(method) && isObject(operation) ? present(operation, notes) : operation,
        )
      : item,
  );
}

function present(operation: Record<string, unknown>, options: NoteOptions): object {
  const marks = readMarks(operation);
  const badges = [
    ...(marks.stability ? [{ name: marks.stability, color: COLORS[marks.stability] }] : []),
    ...(marks.sunset
      ? [{ name: `until ${longDate(marks.sunset)}`, color: COLORS.deprecated }]
      : []),
  ];
  if (badges.length === 0) return operation;
  const notes = markNotes(marks, options);
  const { description } = operation;
  const own = Array.isArray(operation['x-badges']) ? operation['x-badges'] : [];
  return {
    ...operation,
    // An operation with a sunset is deprecated.
    ...(marks.sunset && { deprecated: true }),
    ...(notes.length > 0 && {
      description: [...notes, ...(typeof description === 'string' ? [description] : [])].join(
        '\n\n',
      ),
    }),
    'x-badges': [...badges, ...own],
  };
}

/** Leaves out bounds that no browser could represent, such as those of int64, which the format's name implies. */
function shownValue(value: unknown, largeInteger: (value: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return largeInteger(value);
  if (Array.isArray(value)) return value.map((item) => shownValue(item, largeInteger));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => typeof member !== 'bigint' || !/^(exclusiveM|m)(inimum|aximum)$/.test(name),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [
      isForeignReference(name, member) ? SHOWN_REF : name,
      shownValue(member, largeInteger),
    ]),
  );
}

/** It looks like `$ref`, but has a word joiner in it. */
const SHOWN_REF = '$\u2060ref';

/** Scalar fetches the target of any `$ref`, even in the data of an example. */
function isForeignReference(name: string, value: unknown): boolean {
  return name === '$ref' && typeof value === 'string' && !value.startsWith('#');
}

function mapMembers(object: object, map: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}

/**
 * The operations without a panel, as METHOD and path template, and those that a request could be confused with because
 * their paths end alike.
 */
export function panelSettings(document: object): { withoutPanel: string[]; withPanel: string[] } {
  const operations = [...eachOperation(document)].map(({ method, path, operation }) => ({
    name: `${method} ${path}`,
    method,
    length: path.split('/').length,
    isHidden: readMarks(operation).hidesTryItPanel,
  }));
  const hidden = operations.filter(({ isHidden }) => isHidden);
  const shortest = new Map<string, number>();
  for (const { method, length } of hidden) {
    shortest.set(method, Math.min(length, shortest.get(method) ?? length));
  }
  return {
    withoutPanel: hidden.map(({ name }) => name),
    withPanel: operations
      .filter(
        ({ isHidden, method, length }) => !isHidden && length >= (shortest.get(method) ?? Infinity),
      )
      .map(({ name }) => name),
  };
}
