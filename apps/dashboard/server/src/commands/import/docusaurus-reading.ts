import type { Doc } from './docusaurus-docs.ts';
import type { Note } from './imported-site.ts';
import type { ImportedValue } from './imported-value.ts';
import type { SourceFolder } from './source-folder.ts';

/** What a Docusaurus folder is read with. */
export interface Reading {
  readonly folder: SourceFolder;
  readonly config: ImportedValue;
  readonly notes: Note[];
}

/** Docs of a site: those of its preset, or of a plugin. */
export interface DocsInstance {
  readonly id: string;
  readonly root: string;
  /** Where Docusaurus has them: `/docs`, or nothing. */
  readonly base: string;
  readonly options: ImportedValue | undefined;
  readonly docs: readonly Doc[];
}
