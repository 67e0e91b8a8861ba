import { fragmentTarget } from './dom.ts';
import { chooseTabsOf } from './tabs.ts';

/** Opens the box that a fragment names, and the tabs that it is in. Browsers open only what is around a target. */
export function openTarget(hash: string): void {
  const target = fragmentTarget(hash);
  if (!target) return;
  if (target instanceof HTMLDetailsElement) target.open = true;
  if (!target.closest('.tabs > div')) return;
  chooseTabsOf(target);
  target.scrollIntoView();
}
