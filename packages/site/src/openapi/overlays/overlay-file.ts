import { nearest } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../../build-log.ts';
import { fromPointer, type Location, toPointer } from '../../syntax/source.ts';
import { isObject, type PlaceOf, textOf } from '../openapi-types.ts';
import { readSource, typeNameOf } from '../read-document.ts';

/** A file of the upload that may be an overlay. */
export interface OverlayFile {
  /** Its path in the upload. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** An Overlay Object of the Overlay Specification 1.0, 1.1 or 1.2. */
export interface Overlay {
  readonly file: string;
  readonly placeOf: PlaceOf;
  /** What it says it is for; empty for nothing. */
  readonly extends: string;
  readonly actions: readonly OverlayAction[];
}

/** An Action Object. */
export interface OverlayAction {
  /** In the overlay. */
  readonly location: Location;
  /** A JSONPath. */
  readonly target: string;
  readonly change: OverlayChange;
}

type OverlayChange =
  /** `location`: of the value in the overlay. */
  | { readonly kind: 'update'; readonly value: unknown; readonly location: Location }
  /** `from`: a JSONPath. */
  | { readonly kind: 'copy'; readonly from: string }
  | { readonly kind: 'remove' };

/** A problem of an overlay, at the line of a place in it. */
export const overlayProblem = (
  { file, placeOf }: Pick<Overlay, 'file' | 'placeOf'>,
  location: Location,
  message: string,
): BuildProblem => ({ message, path: file, line: placeOf(toPointer(location)).line });

const MAX_ACTIONS = 10_000;

/** Reads and checks an overlay. Its targets are not read yet. */
export function readOverlay({
  name,
  bytes,
}: OverlayFile): Overlay | { readonly problems: readonly BuildProblem[] } {
  const read = readSource(bytes, name);
  if ('problem' in read) return { problems: [{ ...read.problem, path: name }] };
  const { value, lineOf } = read;
  if (!isObject(value)) {
    const message = `An overlay must be an object with \`overlay\`, \`info\` and \`actions\`; it is ${typeNameOf(value)}.`;
    return { problems: [{ message, path: name, line: 1 }] };
  }
  const placeOf: PlaceOf = (pointer) => ({
    ...{ file: name, pointer },
    line: lineOf(fromPointer(pointer)),
  });
  const source = { file: name, placeOf };
  const problems: BuildProblem[] = [];
  const add = (location: Location, message: string) =>
    void problems.push(overlayProblem(source, location, message));

  const version = value.overlay;
  const isKnown = /^1\.[0-2](?:\.\d+)?$/.test(String(version));
  if (version === undefined) {
    const [near] = Object.keys(value).filter((member) => nearest(member, ['overlay']));
    const hint = near === undefined ? '' : ` It has \`${near}\`: did you mean \`overlay\`?`;
    const message = `\`${name}\` is no overlay: it doesn't begin with \`overlay: 1.0.0\`, for one.${hint}`;
    return { problems: [overlayProblem(source, [], message)] };
  }
  if (!isKnown) {
    const given = typeof version === 'string' ? version : typeNameOf(version);
    add(['overlay'], `\`overlay\` is ${given}. Overlays of 1.0, 1.1 and 1.2 are applied.`);
  }
  if (value.extends !== undefined && typeof value.extends !== 'string') {
    add(['extends'], `\`extends\` must be text; it is ${typeNameOf(value.extends)}.`);
  }
  const given = value.actions;
  if (!Array.isArray(given) || given.length === 0) {
    const problem = given === undefined ? 'is missing' : 'must be a list with at least one action';
    add(
      ['actions'],
      `\`actions\` ${problem}: each has a \`target\`, and \`update\` or \`remove\`.`,
    );
  }
  const all: readonly unknown[] = Array.isArray(given) ? given : [];
  if (all.length > MAX_ACTIONS) {
    add(['actions'], `The overlay has ${all.length} actions; it may have ${MAX_ACTIONS}.`);
  }
  const reader: ActionReader = { value, isFirst: /^1\.0/.test(String(version)), add };
  const actions = all.slice(0, MAX_ACTIONS).flatMap((one, at) => {
    const action = readAction(reader, one, ['actions', at]);
    return action ? [action] : [];
  });
  if (problems.length > 0) return { problems };
  return { ...source, extends: textOf(value.extends), actions };
}

interface ActionReader {
  /** The overlay. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Of version 1.0, which has no `copy`. */
  readonly isFirst: boolean;
  readonly add: (location: Location, message: string) => void;
}

const MEMBERS = ['target', 'description', 'update', 'copy', 'remove', '$ref'];

function readAction(
  reader: ActionReader,
  given: unknown,
  location: Location,
): OverlayAction | undefined {
  const { add } = reader;
  if (!isObject(given)) {
    add(location, `An action must be an object with a \`target\`; it is ${typeNameOf(given)}.`);
    return undefined;
  }
  for (const name of Object.keys(given)) {
    if (MEMBERS.includes(name) || name.startsWith('x-')) continue;
    const near = nearest(name, MEMBERS);
    const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
    add([...location, name], `An action takes no key \`${name}\`.${hint}`);
  }
  const { target } = given;
  if (typeof target !== 'string') {
    add(location, 'An action must have a `target`: a JSONPath such as `$.paths.*.get`.');
    return undefined;
  }
  const [fields, place] =
    given.$ref === undefined ? [given, location] : (reusable(reader, given.$ref, location) ?? []);
  const change = fields && place && readChange(reader, fields, place);
  return change && { location, target, change };
}

/** The fields of a reusable action (Overlay 1.2), with their place. */
function reusable(
  { value, add }: ActionReader,
  reference: unknown,
  location: Location,
): [Record<string, unknown>, Location] | undefined {
  const components = isObject(value.components) ? value.components : {};
  const actions = isObject(components.actions) ? components.actions : {};
  for (const [name, action] of Object.entries(actions)) {
    const place = ['components', 'actions', name];
    if (`#${toPointer(place)}` !== reference) continue;
    if (isObject(action) && isObject(action.fields)) return [action.fields, [...place, 'fields']];
    add(
      place,
      'A reusable action must have `fields`, an object with `update`, `copy` or `remove`.',
    );
    return undefined;
  }
  const names = Object.keys(actions).map(
    (name) => `#${toPointer(['components', 'actions', name])}`,
  );
  const near = typeof reference === 'string' ? nearest(reference, names) : undefined;
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  add([...location, '$ref'], `There is no \`${String(reference)}\` in this overlay.${hint}`);
  return undefined;
}

function readChange(
  { isFirst, add }: ActionReader,
  fields: Readonly<Record<string, unknown>>,
  location: Location,
): OverlayChange | undefined {
  const { update, copy, remove } = fields;
  if (remove !== undefined && typeof remove !== 'boolean') {
    add([...location, 'remove'], `\`remove\` must be true or false; it is ${typeNameOf(remove)}.`);
    return undefined;
  }
  if (remove) return { kind: 'remove' };
  if (update !== undefined && copy !== undefined) {
    add([...location, 'copy'], 'An action has `update` or `copy`, not both. Make two of it.');
  } else if (copy !== undefined && isFirst) {
    add([...location, 'copy'], '`copy` came with Overlay 1.1: begin with `overlay: 1.1.0`.');
  } else if (copy !== undefined && typeof copy !== 'string') {
    add([...location, 'copy'], `\`copy\` must be a JSONPath; it is ${typeNameOf(copy)}.`);
  } else if (typeof copy === 'string') {
    return { kind: 'copy', from: copy };
  } else if (update !== undefined) {
    return { kind: 'update', value: update, location: [...location, 'update'] };
  } else add(location, 'The action changes nothing: it needs `update`, `copy` or `remove: true`.');
  return undefined;
}
