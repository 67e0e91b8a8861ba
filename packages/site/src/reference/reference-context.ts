import type { Html } from '@petstore/http/html.ts';
import type { OperationHistory } from '../changelog/changelog.ts';
import type { CheckedDocument, OpenApiDocument } from '../openapi/openapi-types.ts';
import type { Rule } from '../rules.ts';
import type { Downloads, ReferenceAddresses } from './addresses.ts';

export type Warn = (message: string, place: string, rule?: Rule) => void;

/** What every part of a reference page is made with. */
export interface ReferenceContext {
  readonly checked: CheckedDocument;
  /** In OpenAPI 3.1: `checked.upgraded`. */
  readonly document: OpenApiDocument;
  readonly addresses: ReferenceAddresses;
  /** What the API is called: the document's title, on one line, or the one of `references` in docs.yaml. */
  readonly title: string;
  /** What the list of a site's APIs says of it, on one line; empty for what the document says. */
  readonly about: string;
  /** The share of the operations of all of the site's documents that it has: what is bounded for a site is divided so. */
  readonly share: number;
  readonly descriptions: Descriptions;
  /** The paths of the document itself: `/openapi.json`. */
  readonly downloads: Downloads;
  /**
   * Tells the document's author what a page leaves out or changes, as a warning in the build's log. `place` is a JSON
   * pointer (`/paths/~1pets/get`). Without a rule it is `left-out`.
   */
  readonly warn: Warn;
  /** What is known of the past of operations, by their names (`templateOf`); undefined where the site has no changelog. */
  readonly histories?: ReadonlyMap<string, OperationHistory> | undefined;
}

/** Renders the Markdown of descriptions, safely and within bounds. */
export interface Descriptions {
  /**
   * Paragraphs, lists, tables, code: for the content of a `div`. Empty for an empty text. `place` as for `warn`. Its
   * highest headings are of the level `top`, 3 without it.
   */
  block(markdown: string, place: string, top?: number): Html;
  /** The text without marks, on one line, for titles, attributes and lists. */
  plain(markdown: string): string;
  /** The address of a link that is no web address; undefined where it leads nowhere, and its text alone is shown. */
  linkTo(href: string): string | undefined;
}
