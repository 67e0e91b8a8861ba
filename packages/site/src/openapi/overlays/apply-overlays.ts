import type { BuildLog, BuildProblem } from '../../build-log.ts';
import { type Location, toPointer, valueAt } from '../../syntax/source.ts';
import { isObject, type OpenApiDocument, type PlaceOf, textOf } from '../openapi-types.ts';
import { typeNameOf } from '../read-document.ts';
import { findNodes, type NodeLocation, type PathTime, pathTime } from './find-nodes.ts';
import { type Origin, Origins } from './origins.ts';
import {
  type Overlay,
  type OverlayAction,
  type OverlayFile,
  overlayProblem,
  readOverlay,
} from './overlay-file.ts';

/** A document, and where its places are in the upload. */
interface PlacedDocument {
  readonly document: OpenApiDocument;
  readonly placeOf: PlaceOf;
}

/** How many values the document and what overlays bring may have. */
const MAX_VALUES = 10_000_000;

/**
 * Applies overlays (Overlay Specification 1.0 to 1.2) to a document in their order, which stays as it is. An action that
 * selects nothing is a warning. What is wrong with an overlay is a problem with its line: the document is then not made.
 */
export function applyOverlays(
  { document, placeOf: source }: PlacedDocument,
  overlays: readonly OverlayFile[],
  log: BuildLog,
): PlacedDocument | { readonly problems: readonly BuildProblem[] } {
  const read = overlays.map(readOverlay);
  const wrong = read.flatMap((one) => ('problems' in one ? one.problems : []));
  if (wrong.length > 0) return { problems: wrong };
  const origins = new Origins(MAX_VALUES);
  const root = origins.copy(document, origins.of(source, [])) as OpenApiDocument;
  const time = pathTime();
  for (const overlay of read) {
    if ('problems' in overlay) continue;
    checkExtends(overlay, document, source('').file, log);
    for (const action of overlay.actions) {
      const problem = applyAction({ root, origins, overlay, log, time }, action);
      if (problem !== undefined) return { problems: [problem] };
    }
    log({ message: `Applied the overlay ${overlay.file}` });
  }
  return { document: root, placeOf: (pointer) => origins.placeOf(root, source, pointer) };
}

/** An overlay says what it is for. Only that of another file is told: an address need not be the document's. */
function checkExtends(
  { extends: target, ...overlay }: Overlay,
  { $self }: OpenApiDocument,
  file: string,
  log: BuildLog,
): void {
  const isAddress = /^[a-z][a-z\d+.-]*:/i.test(target);
  const nameOf = (path: string) => path.replace(/#.*$/s, '').split('/').at(-1);
  const own = isAddress ? textOf($self) : file;
  const isSame = isAddress ? target === own : nameOf(target) === nameOf(own);
  if (target === '' || own === '' || isSame) return;
  const message = `The overlay says that it is for \`${target}\`; it is applied to \`${own}\`.`;
  const { line } = overlay.placeOf('/extends');
  log({ rule: 'overlay-extends', message, file: overlay.file, path: '', line });
}

interface Work {
  readonly root: OpenApiDocument;
  readonly origins: Origins;
  readonly overlay: Overlay;
  readonly log: BuildLog;
  readonly time: PathTime;
}

function applyAction(work: Work, action: OverlayAction): BuildProblem | undefined {
  const { root, overlay, log, time } = work;
  const { location, target, change } = action;
  const at = [...location, 'target'];
  const found = findNodes(root, target, time);
  if ('problem' in found) return overlayProblem(overlay, at, `\`${target}\`: ${found.problem}`);
  if (found.length === 0) {
    const message = `\`${target}\` selects nothing, so the action changes nothing.`;
    const { line } = overlay.placeOf(toPointer(at));
    log({ rule: 'overlay', message, file: overlay.file, path: '', line });
    return undefined;
  }
  if (change.kind === 'remove') {
    const message = removeNodes(root, found);
    return message === undefined ? undefined : overlayProblem(overlay, at, message);
  }
  const update = updateOf(work, action);
  if ('message' in update) return update;
  const kinds = new Set(found.map((node) => kindOf(valueAt(root, node))));
  if (kinds.size > 1) {
    const message = `\`${target}\` selects values of several kinds (${[...kinds].join(', ')}): one action changes objects, lists or single values.`;
    return overlayProblem(overlay, at, message);
  }
  for (const node of found) {
    const message = new Merge(work.origins).into(root, node, update);
    if (message !== undefined) return overlayProblem(overlay, update.place, message);
    if (work.origins.isFull) {
      const message = `With this action there are more than ${MAX_VALUES} values. Let it select less.`;
      return overlayProblem(overlay, at, message);
    }
  }
  return undefined;
}

/** What an action puts in, with where it stands. */
interface Update {
  readonly value: unknown;
  readonly origin: Origin;
  /** Of the overlay, for problems. */
  readonly place: Location;
}

function updateOf(
  { root, origins, overlay, time }: Work,
  { location, change }: OverlayAction,
): Update | BuildProblem {
  if (change.kind === 'update') {
    const { value, location: place } = change;
    return { value, origin: origins.of(overlay.placeOf, place), place };
  }
  const place = [...location, 'copy'];
  const from = change.kind === 'copy' ? change.from : '';
  const found = findNodes(root, from, time);
  if ('problem' in found) return overlayProblem(overlay, place, `\`${from}\`: ${found.problem}`);
  const [node] = found;
  if (node === undefined || found.length > 1) {
    const message = `\`copy\` must select one value; \`${from}\` selects ${found.length}.`;
    return overlayProblem(overlay, place, message);
  }
  const origin = origins.of(overlay.placeOf, place);
  // Its own copy, since the action may change what it copies.
  return { value: origins.copy(valueAt(root, node), origin), origin, place };
}

type Kind = 'an object' | 'a list' | 'a single value';

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : 'a single value';
}

/** Takes values out, the last of a list first, so that the places of the others hold. Says what is wrong. */
function removeNodes(root: OpenApiDocument, found: readonly NodeLocation[]): string | undefined {
  const places = found.map((node) => ({ node, holder: valueAt(root, node.slice(0, -1)) }));
  if (places.some(({ node }) => node.length === 0)) {
    return 'The whole document cannot be removed.';
  }
  const lists = new Map<unknown[], Set<unknown>>();
  for (const { node, holder } of places) {
    const token = node.at(-1) as string | number;
    if (Array.isArray(holder)) lists.set(holder, (lists.get(holder) ?? new Set()).add(token));
    else if (isObject(holder)) delete holder[token];
  }
  for (const [list, removed] of lists) {
    const kept = list.filter((_, at) => !removed.has(at));
    list.length = 0;
    for (const item of kept) list.push(item);
  }
  return undefined;
}

/** Merges the value of an action into the values that it selects. Each method says what is wrong. */
class Merge {
  readonly #origins: Origins;

  constructor(origins: Origins) {
    this.#origins = origins;
  }

  into(root: OpenApiDocument, node: NodeLocation, { value, origin }: Update): string | undefined {
    const target = valueAt(root, node);
    if (Array.isArray(target)) {
      this.#append(target, value, origin);
      return undefined;
    }
    if (isObject(target) && isObject(value)) return this.#merge(target, value, origin);
    if (isObject(target) || kindOf(value) !== 'a single value' || node.length === 0) {
      return `${pathText(node)} is ${kindOf(target)}, and the update is ${nameOf(value)}.`;
    }
    const token = node.at(-1) as string | number;
    const holder = valueAt(root, node.slice(0, -1)) as Record<string | number, unknown>;
    this.#set(holder, token, value, origin);
    return undefined;
  }

  /** A list is put behind another one; any other value becomes its last item. */
  #append(list: unknown[], value: unknown, origin: Origin): void {
    if (!Array.isArray(value)) {
      list.push(this.#origins.copy(value, origin));
      return;
    }
    for (const [token, item] of value.entries())
      list.push(this.#origins.copy(item, { source: origin.source, around: origin, token }));
  }

  #merge(
    target: Record<string, unknown>,
    value: Record<string, unknown>,
    around: Origin,
  ): string | undefined {
    for (const [token, member] of Object.entries(value)) {
      const origin = { source: around.source, around, token };
      const present = Object.hasOwn(target, token) ? target[token] : undefined;
      let wrong: string | undefined;
      if (!Object.hasOwn(target, token)) this.#set(target, token, member, origin);
      else if (kindOf(present) !== kindOf(member)) {
        wrong = `\`${token}\` is ${kindOf(present)} in the document, and ${nameOf(member)} in the update. Remove it in an action before.`;
      } else if (isObject(present) && isObject(member)) {
        wrong = this.#merge(present, member, origin);
      } else if (Array.isArray(present)) this.#append(present, member, origin);
      else this.#set(target, token, member, origin);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #set(holder: object, token: string | number, value: unknown, origin: Origin): void {
    const copied = this.#origins.copy(value, origin);
    // Not by assignment, which would set a prototype.
    Object.defineProperty(holder, token, {
      ...{ value: copied, enumerable: true, configurable: true, writable: true },
    });
    if (!Array.isArray(holder)) this.#origins.put(holder, token, origin);
  }
}

const nameOf = (value: unknown) =>
  kindOf(value) === 'a single value' ? typeNameOf(value) : kindOf(value);

/** `$.paths['/pets'].get` for messages. */
const pathText = (node: NodeLocation) =>
  `\`$${node.map((token) => (typeof token === 'string' && /^\w+$/.test(token) ? `.${token}` : `[${JSON.stringify(token)}]`)).join('')}\``;
