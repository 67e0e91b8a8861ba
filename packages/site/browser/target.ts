import { fragmentTarget } from './dom.ts';

/** Opens the box that a fragment names. Browsers open only what is around a target. */
export function openTarget(hash: string): void {
  const target = fragmentTarget(hash);
  if (target instanceof HTMLDetailsElement) target.open = true;
}
