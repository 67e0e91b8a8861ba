import { readMarks } from '@petstore/site/openapi/extension-fields.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberValue } from './api-document.ts';
import type { OtherCode } from './rules.ts';

/** What may be deprecated, with a day. */
export interface Announced {
  readonly deprecated: unknown;
  readonly sunset: unknown;
}

const DAY = 86_400_000;

/** Days from one day to another, both as `2026-11-30`; negative where the other is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY);

/** The day that is announced, as `2026-11-30`; undefined where there is none, or no day. */
export const sunsetOf = ({ sunset }: Announced): string | undefined =>
  readMarks({ 'x-deprecated-sunset': sunset }).sunset;

/** What is said of a removal: `x-deprecated-sunset`, and `x-sunset`, which other tools use. */
export const announcedIn = (at: At): Announced => ({
  deprecated: memberValue(at, 'deprecated'),
  sunset: memberValue(at, 'x-deprecated-sunset') ?? memberValue(at, 'x-sunset'),
});

/** `beta`; undefined for what is stable. */
export const stabilityOf = ({ value }: At): string | undefined =>
  isObject(value) ? readMarks(value).stability : undefined;

/** How early a project announces removals. */
export interface DeprecationRule {
  /** `2026-11-30`, in UTC. */
  readonly today: string;
  /** From today to a day that is announced or moved; 0 for no rule. */
  readonly fewestDays: number;
}

interface LifecycleChange {
  readonly code: OtherCode;
  /** Which place tells it. */
  readonly is: 'deprecation' | 'day';
  readonly said?: {
    readonly old: string | undefined;
    readonly new: string | undefined;
    readonly name?: string;
  };
}

/** Changes of deprecation and of the day of removal, each with what the rule says of it. */
export function* lifecycleChanges(
  old: Announced,
  now: Announced,
  { today, fewestDays }: DeprecationRule,
): Generator<LifecycleChange> {
  for (const change of changesOf(old, now)) {
    yield change;
    const day = change.said?.new;
    const left = day === undefined ? fewestDays : daysBetween(today, day);
    if (left < fewestDays) {
      const name = `${Math.max(0, left)} days from now, and ${fewestDays - left} days are missing to the ${fewestDays} of the project`;
      const said = { old: change.said?.old, new: day, name };
      yield { code: 'sunset-too-soon', is: 'day', said };
    }
    const hasNoDay = change.code === 'deprecated' && sunsetOf(now) === undefined;
    if (hasNoDay && fewestDays > 0) yield { code: 'sunset-missing', is: 'deprecation' };
  }
}

function* changesOf(old: Announced, now: Announced): Generator<LifecycleChange> {
  const [was, is] = [old.deprecated === true, now.deprecated === true];
  if (!was && is) yield { code: 'deprecated', is: 'deprecation' };
  if (was && !is) yield { code: 'deprecation-withdrawn', is: 'deprecation' };
  const [day, next] = [was ? sunsetOf(old) : undefined, is ? sunsetOf(now) : undefined];
  if (day === next) return;
  const told = { is: 'day', said: { old: day, new: next } } as const;
  if (next === undefined) {
    if (is) yield { code: 'sunset-withdrawn', ...told };
  } else if (day === undefined) yield { code: 'sunset-announced', ...told };
  else yield { code: next < day ? 'sunset-earlier' : 'sunset-later', ...told };
}
