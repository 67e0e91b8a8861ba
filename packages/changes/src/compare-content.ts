import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf, memberValue } from './api-document.ts';
import { compareTexts } from './compare-texts.ts';
import type { Both, Comparison } from './comparison.ts';
import type { Direction } from './rules.ts';
import type { Mode } from './schema/schema-change.ts';

/** Compares the media types of a body, and the schema of each. */
export function compareContent(comparison: Comparison, both: Both, direction: Direction): void {
  const { report } = comparison;
  const { context, subject } = both;
  const [before, after] = [
    comparison.old.named(both.old, 'content'),
    comparison.new.named(both.now, 'content'),
  ];
  const left = new Set(after.keys());
  const pairs = pairTypes(before.keys(), after.keys());
  for (const [type, old] of before) {
    const exact = find(after, (other) => other === pairs.get(type));
    const wider = exact ?? find(after, (other) => covers(other, type));
    const match = wider ?? find(after, (other) => covers(type, other));
    if (!match || (!wider && direction === 'request'))
      report.add(`${direction}-media-type-removed`, context, {
        ...{ subject, old, new: both.now, said: { old: type } },
      });
    if (!match) continue;
    const [other, now] = match;
    left.delete(other);
    const of = { context, subject: `${subject} (${other})`, old, now };
    const isXml = /[/+]xml$/.test(bare(other));
    compareMediaType(comparison, of, { direction, form: isXml ? 'xml' : 'other' });
  }
  for (const type of left) {
    const now = after.get(type) as At;
    if (find(before, (other) => covers(other, type)) && direction === 'response') continue;
    report.add(`${direction}-media-type-added`, context, {
      ...{ subject, old: both.old, new: now, said: { new: type } },
    });
  }
}

const find = (content: ReadonlyMap<string, At>, isIt: (type: string) => boolean) =>
  [...content].find(([type]) => isIt(type));

/** Which type of the one side is which of the other. Those that are left of both may differ in parameters. */
function pairTypes(before: Iterable<string>, after: Iterable<string>): Map<string, string> {
  const [olds, all] = [new Set(before), [...after]];
  const left = new Set(all);
  const pairs = new Map<string, string>();
  const pair = (type: string, other: string | undefined) => {
    if (other === undefined) return;
    pairs.set(type, other);
    olds.delete(type);
    left.delete(other);
  };
  for (const name of [normal, withoutCharset]) {
    const byName = new Map(all.map((type) => [name(type), type]));
    for (const type of olds) pair(type, byName.get(name(type)));
  }
  for (const type of olds) {
    const other = [...left].find((one) => bare(one) === bare(type));
    pair(type, other);
  }
  return pairs;
}

const normal = (type: string): string => type.toLowerCase().replace(/\s/g, '');

/** A charset tells no types apart: JSON is always UTF-8 (RFC 8259, section 8.1). */
const withoutCharset = (type: string): string => normal(type).replace(/;charset=[^;]*/, '');

/** Without parameters such as `version`. */
const bare = (type: string): string => normal(type).replace(/;.*$/, '');

/** Whether a range has a type in it: `image/*`, `*​/*`. */
function covers(range: string, type: string): boolean {
  const [main, sub] = bare(range).split('/');
  const [given] = bare(type).split('/');
  return sub === '*' && (main === '*' || main === given);
}

function compareMediaType(comparison: Comparison, both: Both, mode: Mode): void {
  const { report, schemas } = comparison;
  const { context, subject, old, now } = both;
  if (comparison.sameness.isSame(old, now)) return;
  compareTexts(report, both, ['example', 'examples']);
  for (const [name, step] of [
    ['schema', ''],
    ['itemSchema', 'each item of '],
  ] as const) {
    const [one, other] = [memberOf(old, name), memberOf(now, name)];
    if (!one && !other) continue;
    const node = schemas.compare(
      one ? schemas.old.conjunctionOf(one) : [],
      other ? schemas.new.conjunctionOf(other) : [],
      mode,
    );
    report.addSchemas(node, mode, context, `${step}${subject}`);
  }
  const [before, after] = [encodings(old), encodings(now)];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(name), after.get(name)];
    if (was?.text === is?.text) continue;
    report.add(`${mode.direction}-encoding-changed`, context, {
      ...{ subject: `\`${name}\` of ${subject}`, old: was?.at ?? old, new: is?.at ?? now },
      said: { old: was?.text ?? 'as usual', new: is?.text ?? 'as usual' },
    });
  }
}

const ENCODING = ['contentType', 'style', 'explode', 'allowReserved'];

function encodings(media: At): Map<string, { readonly at: At; readonly text: string }> {
  const list = memberOf(media, 'encoding');
  const found = new Map<string, { readonly at: At; readonly text: string }>();
  if (!list || !isObject(list.value)) return found;
  for (const name of Object.keys(list.value)) {
    const at = memberOf(list, name) as At;
    const said = ENCODING.flatMap((one) => {
      const value = memberValue(at, one);
      return value === undefined ? [] : [`${one} ${value}`];
    });
    if (said.length > 0) found.set(name, { at, text: said.join(', ') });
  }
  return found;
}
