/** The operators that compare (RFC 7644, section 3.4.2.2). */
export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export type Literal = string | number | boolean | null;

/** An attribute as filters and paths name it: a schema's URN before it is left out. */
export interface AttributePath {
  /** In lower case. */
  readonly urn: string | undefined;
  readonly name: string;
  readonly sub: string | undefined;
}

/** A filter, parsed. `within` asks the values of an attribute with several, one at a time. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare';
      readonly path: AttributePath;
      readonly operator: Comparison;
      readonly value: Literal;
    }
  | { readonly kind: 'within'; readonly path: AttributePath; readonly filter: Filter };

/** How many questions a filter asks of a resource. */
export function comparisonsIn(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.reduce((sum, each) => sum + comparisonsIn(each), 0);
    case 'not':
      return comparisonsIn(filter.of);
    case 'within':
      return comparisonsIn(filter.filter);
    default:
      return 1;
  }
}
