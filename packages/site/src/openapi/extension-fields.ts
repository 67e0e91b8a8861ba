import { isDay, longDay } from '../syntax/days.ts';

/** The extension fields of an operation, which are GitBook's published convention. */
export interface Marks {
  /** `x-stability`. */
  readonly stability?: Stability;
  /** `x-deprecated-sunset`: the day on which the operation is removed, as `2030-12-05`. */
  readonly sunset?: string;
  /** `x-hideTryItPanel`. */
  readonly hidesTryItPanel: boolean;
}

type Stability = 'experimental' | 'alpha' | 'beta';

const STABILITIES: readonly unknown[] = ['experimental', 'alpha', 'beta'] satisfies Stability[];

/** The allowed values of each field, for authors who wrote something else. */
const TAKES = {
  'x-stability': 'experimental, alpha or beta',
  'x-deprecated-sunset': 'a date such as 2030-12-05',
  'x-hideTryItPanel': 'true or false',
} as const;

export type ExtensionField = keyof typeof TAKES;

/** The marks of an operation. Invalid values are ignored. */
export function readMarks(operation: object): Marks {
  const stability = field(operation, 'x-stability');
  const sunset = sunsetDay(field(operation, 'x-deprecated-sunset'));
  return {
    ...(isStability(stability) && { stability }),
    ...(sunset !== undefined && { sunset }),
    hidesTryItPanel: field(operation, 'x-hideTryItPanel') === true,
  };
}

/** The extension fields of an operation whose values are ignored, each with its allowed values. */
export function ignoredFields(operation: object): { field: ExtensionField; takes: string }[] {
  const isGood = (name: ExtensionField, value: unknown) => {
    if (name === 'x-stability') return isStability(value);
    if (name === 'x-deprecated-sunset') return sunsetDay(value) !== undefined;
    return typeof value === 'boolean';
  };
  return (Object.keys(TAKES) as ExtensionField[])
    .filter((name) => Object.hasOwn(operation, name) && !isGood(name, field(operation, name)))
    .map((name) => ({ field: name, takes: TAKES[name] }));
}

function field(operation: object, name: ExtensionField): unknown {
  return (operation as Partial<Record<ExtensionField, unknown>>)[name];
}

function isStability(value: unknown): value is Stability {
  return STABILITIES.includes(value);
}

/** The day of an RFC 3339 date or date-time, if it exists in the calendar. */
function sunsetDay(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/.exec(
      value,
    ) ?? [];
  return isDay(day) ? day : undefined;
}

/** The meaning of the marks, in sentences of Markdown. */
export function markNotes({ sunset }: Marks): string[] {
  return sunset ? [`**To be removed on ${longDay(sunset)}.**`] : [];
}
