import { readMarks } from '@petstore/site/openapi/extension-fields.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf, memberValue } from './api-document.ts';
import type { Announced, OperationContext, Report } from './report.ts';

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

/** Changes of deprecation, of the day of removal, and of stability. `fewestDays`: from today to that day. */
export function compareLifecycle(
  report: Report,
  context: OperationContext,
  subject: string,
  { old, now, fewestDays }: { readonly old: At; readonly now: At; readonly fewestDays: number },
): void {
  const [before, after] = [announcedIn(old), announcedIn(now)];
  const [was, is] = [before.deprecated === true, after.deprecated === true];
  const marked = (name: string) => ({
    old: memberOf(old, name) ?? old,
    new: memberOf(now, name) ?? now,
  });
  const ofDay = { subject, old: dayAt(old), new: dayAt(now) };
  if (!was && is) report.add('deprecated', context, { subject, ...marked('deprecated') });
  if (was && !is)
    report.add('deprecation-withdrawn', context, { subject, ...marked('deprecated') });
  const [day, next] = [was ? sunsetOf(before) : undefined, is ? sunsetOf(after) : undefined];
  const said = { old: day, new: next };
  if (day !== next) {
    if (next === undefined) {
      if (is) report.add('sunset-withdrawn', context, { ...ofDay, said });
    } else if (day === undefined) report.add('sunset-announced', context, { ...ofDay, said });
    else report.add(next < day ? 'sunset-earlier' : 'sunset-later', context, { ...ofDay, said });
    const left = next === undefined ? undefined : daysBetween(report.today, next);
    if (left !== undefined && left < fewestDays) {
      const name = `${Math.max(0, left)} days from now, and ${fewestDays - left} days are missing to the ${fewestDays} of the project`;
      report.add('sunset-too-soon', context, { ...ofDay, said: { ...said, name } });
    }
  }
  if (!was && is && next === undefined && fewestDays > 0)
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
