import type { didYouMean } from '@petstore/service/nearest.ts';

/** The pages of a reference, as links name them. */
export interface ReferenceTargets {
  /** What stands before its operations and models in links: `payments`; undefined for the only document of a site. */
  readonly address: string | undefined;
  /** The page of each operation, by `operationId` and by the id that earlier versions gave it. */
  readonly operations: ReadonlyMap<string, string>;
  /** Where the fragments of earlier versions lead: `tag/pets/GET/pets`. */
  readonly anchors: ReadonlyMap<string, string>;
  /** Every page. */
  readonly paths: ReadonlySet<string>;
  /** The page of each model that has one, by its name. */
  readonly models: ReadonlyMap<string, string>;
  /** What boxes in guides say of operations and models, by their pages. */
  readonly details: ReadonlyMap<string, TargetDetails>;
}

export interface TargetDetails {
  readonly title: string;
  /** `GET`, and the path or the webhook's name; undefined for a model. */
  readonly method: string | undefined;
  readonly path: string;
  /** The first sentence of the description, as plain text; empty for none. */
  readonly sentence: string;
}

/** What of a reference has a page that is named by its id. */
export type ReferenceKind = 'operation' | 'model';

/** How many documents a message names. */
const MAX_NAMED = 5;

/**
 * The page of an operation by its `operationId`, or of a model by its name. Where several documents have it, the address
 * of its own stands before it: `payments/createCharge`. Otherwise what is wrong, and what to write.
 */
export function findInReferences(
  kind: ReferenceKind,
  id: string,
  references: readonly ReferenceTargets[],
  hint: typeof didYouMean,
): { readonly path: string } | { readonly problem: string } {
  if (references.length === 0)
    return { problem: `\`${kind}:${id}\` needs an OpenAPI document in the archive.` };
  const own = named(id, references);
  const path = own && pagesOf(kind, own.reference).get(own.id);
  if (path !== undefined) return { path };
  const found = references.filter((one) => pagesOf(kind, one).has(id));
  const [first, second] = found.map((one) => pagesOf(kind, one).get(id) as string);
  if (first === undefined) return { problem: missing(kind, id, references, own, hint) };
  if (second === undefined) return { path: first };
  const links = found.slice(0, MAX_NAMED).map(({ address }) => `\`${kind}:${address}/${id}\``);
  const more = found.length > MAX_NAMED ? `, and so on: ${found.length} have one` : '';
  return {
    problem: `Several documents have ${article(kind)} \`${id}\`: write which one is meant, ${links.join(' or ')}${more}.`,
  };
}

const pagesOf = (kind: ReferenceKind, { operations, models }: ReferenceTargets) =>
  kind === 'operation' ? operations : models;

const article = (kind: ReferenceKind) => (kind === 'operation' ? 'an operation' : 'a model');

interface Named {
  readonly reference: ReferenceTargets;
  readonly id: string;
}

/** The document whose address stands before the id. Ids may have slashes themselves. */
function named(id: string, references: readonly ReferenceTargets[]): Named | undefined {
  const end = id.indexOf('/');
  const reference = references.find(({ address }) => address === id.slice(0, end));
  return end > 0 && reference ? { reference, id: id.slice(end + 1) } : undefined;
}

function missing(
  kind: ReferenceKind,
  id: string,
  references: readonly ReferenceTargets[],
  own: Named | undefined,
  hint: typeof didYouMean,
): string {
  if (own) {
    const { address } = own.reference;
    const other = references.find((one) => pagesOf(kind, one).has(own.id));
    const ids = addressed(kind, own.reference);
    const meant = other ? `: did you mean \`${other.address}/${own.id}\`?` : hint(id, ids);
    return `\`${address}\` has no ${kind} \`${own.id}\`${meant}`;
  }
  const isOne = references.length === 1;
  const candidates = function* () {
    // The address may be what is mistyped.
    if (!isOne && id.includes('/')) for (const one of references) yield* addressed(kind, one);
    for (const one of references) yield* pagesOf(kind, one).keys();
  };
  const holder = isOne ? 'The document has no' : 'No document has the';
  return `${holder} ${kind} \`${id}\`${hint(id, candidates())}`;
}

/** The ids of a document's pages, with its address before them. */
const addressed = (kind: ReferenceKind, reference: ReferenceTargets) =>
  pagesOf(kind, reference)
    .keys()
    .map((id) => `${reference.address}/${id}`);
