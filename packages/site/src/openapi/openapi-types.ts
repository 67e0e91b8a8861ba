import type { Syntax } from '../syntax/source.ts';

/**
 * An OpenAPI document as it was read: JSON values, with integers beyond 2^53 as bigints. Its shape is unknown except
 * for what a reader has checked itself.
 */
export type OpenApiDocument = { readonly [name: string]: unknown };

/** A schema as it stands in a document: JSON Schema 2020-12 (OpenAPI 3.1). */
export type Schema = Readonly<Record<string, unknown>>;

/** A document that can be published. */
export interface CheckedDocument {
  readonly syntax: Syntax;
  /** As uploaded: Swagger 2.0, OpenAPI 3.0 or 3.1. */
  readonly document: OpenApiDocument;
  /** The same in OpenAPI 3.1. */
  readonly upgraded: OpenApiDocument;
  readonly operations: readonly OperationSummary[];
  /** The paths of the other files that it was made of. Absent where it was sent alone. */
  readonly parts?: readonly string[];
  /** Where a place of `document` is in the upload. */
  readonly placeOf: PlaceOf;
}

/** Where a place of a document, a JSON pointer, is in the file that has it. */
export type PlaceOf = (pointer: string) => FoundPlace;

/** A place in a file. */
export interface FoundPlace {
  /** By its path in the upload. */
  readonly file: string;
  /** A JSON pointer into the file. */
  readonly pointer: string;
  /** 1 for the first; null where none is known. It may be a getter: to find it takes time. */
  readonly line: number | null;
}

/** An operation as lists, links and the search show it. */
export interface OperationSummary {
  /** Unique in the document, and readable: `list-pets`. */
  readonly id: string;
  /** As in the document; empty where it has none. */
  readonly operationId: string;
  /** In capitals: `GET`. */
  readonly method: string;
  /** `/pets/{petId}`; of a webhook its name. */
  readonly path: string;
  readonly title: string;
  /** The tag whose page lists it; undefined when it has none. */
  readonly tag: string | undefined;
  /** Plain text. */
  readonly description: string;
  readonly deprecated: boolean;
  /** The fragment by which earlier versions named the operation on their one page: `tag/pets/GET/pets`. */
  readonly anchor: string;
  readonly isWebhook: boolean;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
