import { BEGINNING, isParameter, type Kind, type StoredDetails } from './format.ts';
import type { Match } from './match-terms.ts';
import type { OpenIndex } from './open-index.ts';
import type { Titled } from './rank.ts';
import { indexTerms } from './terms.ts';

/** A result, as it is shown. Texts are plain and may be anything. */
export interface SearchRow {
  /** `place`: a parameter or a property. */
  readonly kind: Kind | 'place';
  readonly title: string;
  /** `/pets/{petId}`, `Quickstart`, `query parameter of List animals`. */
  readonly context: string;
  readonly href: string;
  /** In capitals; empty for all but operations and webhooks. */
  readonly method: string;
  readonly isDeprecated: boolean;
  /** The API that it is of, where the site has several: its title, and `payments` of `/reference/payments`. */
  readonly api: { readonly title: string; readonly address: string } | undefined;
  /** The beginning of the text, where it says more; of a parameter or property, its allowed values. */
  readonly excerpt: string;
}

/** Kinds whose title and context say enough. */
const IS_SHORT: readonly Kind[] = ['operation', 'webhook', 'model', 'tag'];

/** What is shown of a result. */
export async function toRow(
  index: OpenIndex,
  { document, place, stored, kind }: Titled,
  matches: readonly Match[],
): Promise<SearchRow> {
  const [, title, href, context, method = '', deprecated] = stored;
  // Details are loaded only where they show what was found.
  const isShort = place === undefined && IS_SHORT.includes(kind);
  const isShown = isShort && hasAll(`${title} ${context}`, matches);
  const details = isShown ? undefined : await index.details(document);
  const isDeprecated = deprecated === 1;
  const found = index.apiOf(href);
  const api = found && { title: found[1], address: found[2] };
  const named = place === undefined ? undefined : placeOf(details, place);
  if (named === undefined) {
    const about = kind === 'webhook' ? `Webhook ${context}` : context;
    const excerpt = details?.[0] ?? '';
    return { kind, title, href, context: about, method, isDeprecated, api, excerpt };
  }
  const { group, name, values } = named;
  return {
    kind: 'place',
    title: name,
    href: `${href}#${encodeURIComponent(anchorOf(group, name))}`,
    context: `${describe(group)} of ${title}`,
    method: '',
    isDeprecated,
    api,
    excerpt: values,
  };
}

/** Whether a text has something of each word of the query. */
function hasAll(text: string, matches: readonly Match[]): boolean {
  const terms = new Set(indexTerms(text));
  const has = (term: string) =>
    term.endsWith(BEGINNING)
      ? terms.values().some((one) => one.startsWith(term.slice(0, -BEGINNING.length)))
      : terms.has(term);
  return matches.every(
    ({ hits, isOptional }) => isOptional || hits.some(({ stored: [term] }) => has(term)),
  );
}

/** A name of a document by its number. */
function placeOf(details: StoredDetails | undefined, place: number) {
  let left = place;
  for (const [group, ...names] of details?.[1] ?? []) {
    const name = names[left];
    if (name !== undefined) return { group, name, values: details?.[2][place] ?? '' };
    left -= names.length;
  }
  return undefined;
}

/** The id of a parameter or property in its page, as the reference's page-parts.ts makes it. */
function anchorOf(group: string, name: string): string {
  const id = group === '' || isParameter(group) ? name : `${group}.${name}`;
  return id.replace(/\s+/g, '_');
}

function describe(group: string): string {
  if (group === '') return 'property';
  if (isParameter(group)) return `${group} parameter`;
  return group === 'body' ? 'body property' : `property of the ${group} response`;
}
