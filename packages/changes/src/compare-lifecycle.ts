import { type At, memberOf } from './api-document.ts';
import { announcedIn, type DeprecationRule, lifecycleChanges, stabilityOf } from './lifecycle.ts';
import type { OperationContext, Report } from './report.ts';

/** From what promises most on. */
const STABILITIES = ['stable', 'beta', 'alpha', 'experimental'];

/** Reports changes of deprecation, of the day of removal, and of stability. */
export function compareLifecycle(
  report: Report,
  context: OperationContext,
  subject: string,
  { old, now, rule }: { readonly old: At; readonly now: At; readonly rule: DeprecationRule },
): void {
  const [before, after] = [announcedIn(old), announcedIn(now)];
  const marked = (name: string) => ({
    old: memberOf(old, name) ?? old,
    new: memberOf(now, name) ?? now,
  });
  const days = { old: dayAt(old), new: dayAt(now) };
  for (const { code, is, said } of lifecycleChanges(before, after, rule)) {
    const places = is === 'day' ? days : marked('deprecated');
    report.add(code, context, { subject, ...places, ...(said && { said }) });
  }
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
