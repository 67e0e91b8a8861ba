import type { Kind } from './format.ts';

/** A page, or a section of one, with all that it is found by. Texts are plain. */
export interface SearchDocument {
  readonly kind: Kind;
  readonly title: string;
  /** An address, percent-encoded, with its fragment. */
  readonly href: string;
  /** An operation's path, or the title of a section's page: shown and searched. */
  readonly context: string;
  /** In capitals; empty for all but operations and webhooks. */
  readonly method: string;
  readonly isDeprecated: boolean;
  /** An `operationId`: searched as a name. */
  readonly name: string;
  /** Words that are searched but not shown, such as a tag. */
  readonly topics: string;
  /** The beginning of the text, to be shown. */
  readonly excerpt: string;
  /** Texts that are searched, of which a word says little by itself. */
  readonly texts: readonly string[];
  readonly places: readonly Place[];
}

/** A parameter or a property. */
export interface Place {
  /** `query`, `body`, `200`; of a model, an empty text. */
  readonly group: string;
  /** `limit`; of a property in another one `address.city`. */
  readonly name: string;
  /** The last part of the name. */
  readonly leaf: string;
  /** Its allowed values. */
  readonly values: readonly string[];
}

export const PLAIN_DOCUMENT = {
  context: '',
  method: '',
  isDeprecated: false,
  name: '',
  topics: '',
  excerpt: '',
  texts: [],
  places: [],
} as const satisfies Partial<SearchDocument>;
