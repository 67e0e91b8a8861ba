import type { Tool } from '@modelcontextprotocol/server';

/** A schema of the OpenAPI document, in the parts that are read here. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly format?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

/** An operation of the API, and the tool that calls it. */
export interface OperationTool {
  /** The tool as clients see it. */
  readonly listing: Tool;
  /** What a key must be allowed to do for it. */
  readonly scopes: readonly string[];
  /** In capital letters. */
  readonly method: string;
  /** Relative to the base address: `/pets/{petId}`. */
  readonly path: string;
  readonly arguments: readonly Argument[];
  /** The media type of the request's body; undefined where it has none. */
  readonly bodyType: string | undefined;
}

/** An argument of a tool, and where it goes in the request. `member`: of the body; `body`: all of it. */
export interface Argument {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'member' | 'body';
  readonly isRequired: boolean;
  /** With every reference resolved. */
  readonly schema: Schema;
}
