import type { Place } from './imported-value.ts';
import type { SourceFolder } from './source-folder.ts';

// What the readers of the other products' folders find, before it is made to fit a docs.yaml.

/** Something that is not carried over, with what to do about it. */
export interface Note extends Place {
  readonly message: string;
}

/** An entry of the navigation. */
export type ImportedEntry = ImportedPage | ImportedGroup | ImportedLink;

interface ImportedPage {
  readonly kind: 'page';
  /** In the folder. */
  readonly file: string;
  readonly title?: string | undefined;
  readonly icon?: string | undefined;
  readonly isHidden?: boolean;
  readonly place: Place;
}

interface ImportedGroup {
  readonly kind: 'group';
  readonly title: string;
  readonly icon?: string | undefined;
  /** The page that its title leads to. */
  readonly page?: string | undefined;
  readonly entries: readonly ImportedEntry[];
  readonly place: Place;
}

export interface ImportedLink {
  readonly kind: 'link';
  readonly title: string;
  readonly icon?: string | undefined;
  readonly url: string;
  /** Of one that leads to an operation, the document that has it. */
  readonly document?: string;
  readonly place: Place;
}

/** A tab of the navigation. */
export interface ImportedTab {
  readonly title: string;
  readonly icon?: string | undefined;
  readonly content: readonly ImportedEntry[] | ImportedReference | { readonly url: string };
  readonly place: Place;
}

/** The reference of a document, by its file, or of all. */
interface ImportedReference {
  readonly reference: string | true;
}

/** An OpenAPI document that is published. */
export interface ImportedDocument {
  /** In the folder. */
  readonly file: string;
  readonly title?: string | undefined;
  /** Where the other product has its page, which gets a redirect. */
  readonly route?: { readonly path: string; readonly place: Place };
}

export interface ImportedRedirect {
  /** `/old`, or `/old/*` for all below it. */
  readonly from: string;
  /** A path of the site, an address, or of a prefix a path that ends with `*`, which keeps the rest. */
  readonly to: string;
  readonly isTemporary?: boolean;
  readonly place: Place;
}

export interface ImportedSite {
  /** Where docs.yaml goes; undefined for the folder that was named. */
  readonly folder?: SourceFolder;
  readonly title: string;
  /** Of tabs there are none where the navigation has no tabs. */
  readonly navigation: readonly ImportedEntry[] | readonly ImportedTab[];
  readonly redirects: readonly ImportedRedirect[];
  /** One for both schemes, or one for each. */
  readonly color?: string | { readonly light: string; readonly dark: string } | undefined;
  /** A WOFF2 file of the folder, for texts. */
  readonly font?: string | undefined;
  /** A file of the folder. */
  readonly favicon?: string | undefined;
  /** Files of the folder. */
  readonly logo?: { readonly light: string; readonly dark: string } | undefined;
  readonly announcement?: { readonly text: string; readonly link?: string | undefined } | undefined;
  readonly header?: readonly ImportedLink[];
  readonly footer?: readonly ImportedLink[];
  readonly editUrl?: string | undefined;
  readonly documents?: readonly ImportedDocument[];
  /** The paths of the pages of their references. */
  readonly referencePaths?: ReadonlySet<string>;
  /** What stands in pages for `{{name}}`. */
  readonly variables?: ReadonlyMap<string, string>;
  /** Files and folders (`blog/`) that are no part of the documentation. */
  readonly ignore?: readonly string[];
  /** Files that were written besides docs.yaml: their new texts, or the files whose copies they are. */
  readonly changes?: ReadonlyMap<string, Change>;
}

export type Change = { readonly text: string } | { readonly copyOf: string };

export const isTab = (one: ImportedEntry | ImportedTab): one is ImportedTab => 'content' in one;
