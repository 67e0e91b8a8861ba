/** One file of a site as a build makes it, before it is hashed and compressed. */
export interface SiteFile {
  /** Begins with `/`, percent-decoded: `/`, `/reference`, `/openapi.json`. */
  readonly path: string;
  /** Media type, with its charset. */
  readonly type: string;
  readonly content: string | Uint8Array;
  /** The name has the content's hash in it, so browsers may keep it for ever. */
  readonly immutable?: true;
  /** The content holds `{{origin}}` where the site's own origin belongs. */
  readonly template?: true;
}

/** All that a site is made of, before it is hashed and compressed. */
export interface BuiltSite {
  readonly title: string;
  readonly files: readonly SiteFile[];
  /** For every HTML page of the site. */
  readonly contentSecurityPolicy: string;
}
