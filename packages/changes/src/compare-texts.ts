import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf } from './api-document.ts';
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
  const told = new Set<OtherCode>();
  for (const name of names) {
    const [before, after] = [memberOf(old, name), memberOf(now, name)];
    if (isEqual(before?.value, after?.value) || told.has(CODES[name])) continue;
    if (name.startsWith('example') && isEqual(examplesOf(old), examplesOf(now))) continue;
    told.add(CODES[name]);
    report.add(CODES[name], context, { subject, old: before ?? null, new: after ?? null });
  }
}

/** The values of all examples: `example`, or those of `examples` under whatever names. */
function examplesOf(holder: At): unknown[] {
  const one = memberOf(holder, 'example');
  if (one) return [one.value];
  const several = memberOf(holder, 'examples')?.value;
  return isObject(several)
    ? Object.values(several).map((at) => (isObject(at) && 'value' in at ? at.value : at))
    : [];
}
