/** Where all requests to a domain lead, as it is stored. */
export interface StoredRedirect {
  /** A name of the same project; null: where its site is. */
  readonly hostname: string | null;
  /** Percent-encoded, without a slash at its end; empty: the start page. */
  readonly path: string;
  readonly keepPath: boolean;
  readonly status: 301 | 302 | 308;
}
