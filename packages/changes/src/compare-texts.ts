import { memberOf } from './api-document.ts';
import type { Both } from './comparison.ts';
import type { Report } from './report.ts';
import type { OtherCode } from './rules.ts';
import { isEqual } from './sameness.ts';

const CODES = {
  summary: 'title-changed',
  title: 'title-changed',
  description: 'description-changed',
  externalDocs: 'external-docs-changed',
  example: 'example-changed',
  examples: 'example-changed',
} as const satisfies Record<string, OtherCode>;

/** Changes of what is said of a thing. */
export function compareTexts(
  report: Report,
  { context, subject, old, now }: Both,
  names: readonly (keyof typeof CODES)[],
): void {
  for (const name of names) {
    const [before, after] = [memberOf(old, name), memberOf(now, name)];
    if (isEqual(before?.value, after?.value)) continue;
    report.add(CODES[name], context, { subject, old: before ?? null, new: after ?? null });
  }
}
