import type { Changelog } from '@petstore/site/changelog/changelog.ts';

/** A document that a build is about to publish. */
export interface BuiltDocument {
  /** Of its reference; empty for a site's only one. */
  readonly address: string;
  /** The SHA-256, in hex, of its JSON as readers will have it. */
  readonly hash: string;
}

/** What a build asks the service meanwhile: it knows no store, and not what is live. */
export interface BuildService {
  /** Whether the result of a build with this key (build-key.ts) is there already. */
  isKnown(key: string): Promise<boolean>;
  /**
   * The changelog of the site with these documents: that of what is shown where it will be, and what they change
   * there. It may take as long as a comparison.
   */
  changelogFor(documents: readonly BuiltDocument[]): Promise<Changelog>;
}
