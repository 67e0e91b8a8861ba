import { readMarks } from '@petstore/site/openapi/extension-fields.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf, memberValue } from './api-document.ts';
import type { Announced, OperationContext, Report } from './report.ts';
import type { OtherCode } from './rules.ts';

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

/** From what promises most on. */
const STABILITIES = ['stable', 'beta', 'alpha', 'experimental'];

interface LifecycleChange {
  readonly code: OtherCode;
  /** Which place tells it. */
  readonly is: 'deprecation' | 'day';
  readonly said?: { readonly old: string | undefined; readonly new: string | undefined };
}

/** Changes of deprecation, and of the day of removal. */
export function* lifecycleChanges(old: Announced, now: Announced): Generator<LifecycleChange> {
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

/**
 * Reports changes of deprecation, of the day of removal, and of stability. `fewestDays`: from today to a day that is
 * announced or moved.
 */
export function compareLifecycle(
  report: Report,
  context: OperationContext,
  subject: string,
  { old, now, fewestDays }: { readonly old: At; readonly now: At; readonly fewestDays: number },
): void {
  const [before, after] = [announcedIn(old), announcedIn(now)];
  const marked = (name: string) => ({
    old: memberOf(old, name) ?? old,
    new: memberOf(now, name) ?? now,
  });
  const days = { old: dayAt(old), new: dayAt(now) };
  const found = [...lifecycleChanges(before, after)];
  for (const { code, is, said } of found) {
    const places = is === 'day' ? days : marked('deprecated');
    report.add(code, context, { subject, ...places, ...(said && { said }) });
    const left = said?.new === undefined ? fewestDays : daysBetween(report.today, said.new);
    if (left >= fewestDays) continue;
    const name = `${Math.max(0, left)} days from now, and ${fewestDays - left} days are missing to the ${fewestDays} of the project`;
    report.add('sunset-too-soon', context, { subject, ...days, said: { ...said, name } });
  }
  const isNew = found.some(({ code }) => code === 'deprecated');
  if (isNew && sunsetOf(after) === undefined && fewestDays > 0)
    report.add('sunset-missing', context, { subject, ...marked('deprecated') });
  const [stability, changed] = [stabilityOf(old) ?? 'stable', stabilityOf(now) ?? 'stable'];
  if (stability === changed) return;
  const isLower = STABILITIES.indexOf(changed) > STABILITIES.indexOf(stability);
  report.add(isLower ? 'stability-lowered' : 'stability-raised', context, {
    ...{ subject, ...marked('x-stability') },
    said: { old: stability, new: changed },
  });
}

const dayAt = (holder: At): At =>
  memberOf(holder, 'x-deprecated-sunset') ?? memberOf(holder, 'x-sunset') ?? holder;
