import { type ApiDocument, type At, memberOf, memberValue, textIn } from './api-document.ts';
import { compareContent } from './compare-content.ts';
import { compareLifecycle } from './compare-lifecycle.ts';
import { type Operation, type PairedOperation, parameterNames } from './compare-paths.ts';
import { compareTexts } from './compare-texts.ts';
import type { Both, Comparison } from './comparison.ts';
import { announcedIn } from './lifecycle.ts';
import type { Mode } from './schema/schema-change.ts';
import { keyOf, type SchemaViews } from './schema/schema-view.ts';

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly at: At;
}

/** Compares what is sent in path, query, headers and cookies. `isReversed`: the API sends it. */
export function compareParameters(
  comparison: Comparison,
  { old, now, context }: PairedOperation,
  isReversed: boolean,
): void {
  const { report } = comparison;
  const [before, after] = [parametersOf(comparison.old, old), parametersOf(comparison.new, now)];
  for (const [key, one] of before) {
    const other = after.get(key);
    if (other) {
      const both = { context, subject: subjectOf(other), old: one.at, now: other.at };
      compareParameter(comparison, both, isReversed, one.place);
      continue;
    }
    const wasRequired = isRequired(one) && isReversed;
    const code = wasRequired ? 'required-response-header-removed' : 'parameter-removed';
    const gone = announcedIn(one.at);
    report.add(code, context, { subject: subjectOf(one), old: one.at, new: null, gone });
  }
  for (const [key, one] of after) {
    if (before.has(key)) continue;
    const isNeeded = isRequired(one) && !isReversed;
    const code = isNeeded ? neededCode(comparison.new, one) : 'parameter-added';
    report.add(code, context, { subject: subjectOf(one), old: null, new: one.at });
  }
}

const neededCode = (document: ApiDocument, { at }: Parameter) =>
  hasDefault(document, at) ? 'required-parameter-with-default-added' : 'required-parameter-added';

function hasDefault(document: ApiDocument, parameter: At): boolean {
  const schema = document.member(parameter, 'schema');
  return schema !== undefined && memberValue(schema, 'default') !== undefined;
}

const subjectOf = ({ place, name }: Parameter): string =>
  `${place === 'header' || place === 'cookie' ? place : `${place} parameter`} \`${name}\``;

const isRequired = ({ at, place }: Parameter): boolean =>
  memberValue(at, 'required') === true || place === 'path';

/** An operation's parameters: its own come before those of its path. Parameters of paths are known by their order. */
function parametersOf(
  document: ApiDocument,
  { at, item, path }: Operation,
): Map<string, Parameter> {
  const inPath = parameterNames(path);
  const parameters = new Map<string, Parameter>();
  for (const holder of item === at ? [at] : [item, at])
    for (const one of document.items(holder, 'parameters')) {
      const [name, place] = [textIn(one, 'name'), textIn(one, 'in')];
      if (name === undefined || place === undefined || memberValue(one, 'x-internal') === true)
        continue;
      const known = place === 'header' ? name.toLowerCase() : name;
      const order = place === 'path' ? inPath.indexOf(name) : -1;
      parameters.set(`${place} ${order < 0 ? known : order}`, { name, place, at: one });
    }
  return parameters;
}

function compareParameter(
  comparison: Comparison,
  both: Both,
  isReversed: boolean,
  place: string,
): void {
  const { report, schemas } = comparison;
  const { context, subject, old, now } = both;
  if (comparison.sameness.isSame(old, now)) return;
  compareTexts(report, both, ['description', 'example', 'examples']);
  compareLifecycle(report, context, subject, { old, now, rule: comparison.deprecation });
  const required = (at: At) => memberValue(at, 'required') === true || place === 'path';
  const marked = { old: memberOf(old, 'required') ?? old, new: memberOf(now, 'required') ?? now };
  if (required(old) !== required(now)) {
    const isNeeded = required(now);
    const needed = hasDefault(comparison.new, now)
      ? 'parameter-with-default-became-required'
      : 'parameter-became-required';
    const sent = isNeeded ? 'response-header-became-required' : 'response-header-became-optional';
    const taken = isNeeded ? needed : 'parameter-became-optional';
    report.add(isReversed ? sent : taken, context, { subject, ...marked });
  }
  const direction = isReversed ? 'response' : 'request';
  const [schema, next] = [memberOf(old, 'schema'), memberOf(now, 'schema')];
  const [simple, nextSimple] = [
    schema && isSimple(schemas.old, schema),
    next && isSimple(schemas.new, next),
  ];
  // Of a schema that does not say it nothing is known to have changed.
  const [written, nextWritten] = [
    serialization(old, place, simple ?? nextSimple ?? false),
    serialization(now, place, nextSimple ?? simple ?? false),
  ];
  if (written !== nextWritten)
    report.add('parameter-serialization-changed', context, {
      ...{ subject, old, new: now },
      said: { old: written, new: nextWritten },
    });
  if (schema || next) {
    const mode: Mode = { direction, form: 'text' };
    const parts = [
      schema ? schemas.old.conjunctionOf(schema) : [],
      next ? schemas.new.conjunctionOf(next) : [],
    ] as const;
    report.addSchemas(schemas.compare(...parts, mode), mode, context, subject);
  } else compareContent(comparison, both, direction);
}

/** How a value is written: `form, each item by itself`. Of a simple value only what shows counts. */
function serialization(parameter: At, place: string, isPlain: boolean): string {
  if (
    memberValue(parameter, 'schema') === undefined &&
    memberValue(parameter, 'content') !== undefined
  )
    return 'as a media type';
  const style =
    textIn(parameter, 'style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const explode = memberValue(parameter, 'explode') ?? style === 'form';
  const shown = isPlain && ['form', 'simple'].includes(style) ? 'plain' : style;
  return [
    shown,
    ...(!isPlain && explode ? ['each item by itself'] : []),
    ...(memberValue(parameter, 'allowReserved') === true
      ? ['reserved characters as they are']
      : []),
  ].join(', ');
}

/** Whether no value is a list or an object; undefined where the schema does not say. */
function isSimple(views: SchemaViews, schema: At): boolean | undefined {
  const whole = views.conjunctionOf(schema);
  const all = new Map([[keyOf(whole), whole]]);
  let isKnown = true;
  // Variants are added on the way, each once: a schema may be its own variant.
  for (const one of all.values()) {
    const { types, values, choices } = views.view(one);
    const isCompound = types
      ? types.has('array') || types.has('object')
      : [...(values?.values() ?? [])].some(({ value }) => typeof value === 'object');
    if (isCompound) return false;
    if (types || values) continue;
    if (choices.length === 0) isKnown = false;
    for (const { variants } of choices)
      for (const variant of variants) all.set(keyOf(variant), variant);
  }
  return isKnown || undefined;
}
