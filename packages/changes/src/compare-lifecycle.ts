import { type At, memberOf } from './api-document.ts';
import { announcedIn, daysBetween, lifecycleChanges, stabilityOf, sunsetOf } from './lifecycle.ts';
import type { OperationContext, Report } from './report.ts';

/** From what promises most on. */
const STABILITIES = ['stable', 'beta', 'alpha', 'experimental'];

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
