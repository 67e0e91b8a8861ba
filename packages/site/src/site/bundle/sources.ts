/** What the assets are made from, files and folders as seen from the package's. A change of any leads to another build. */
export const ASSET_SOURCES = [
  '../service/src/nearest.ts',
  'browser',
  'src/request',
  'src/samples',
  'src/search',
  'src/site/bundle',
  'src/site/readers/readers-format.ts',
  'src/site/rgb.ts',
  'src/syntax',
] as const;

/** The file that says which of a build's files are which. */
export const MANIFEST = 'manifest.json';

/** The names of the files that pages refer to; all others are loaded by these. */
export interface AssetManifest {
  /** A classic script for the head, which runs before the page is drawn. */
  readonly theme: string;
  /** A module. */
  readonly siteScript: string;
  /** A module of the frame that draws diagrams; only sites with diagrams have it. */
  readonly diagramScript: string;
  readonly siteStyle: string;
  /** Loaded with the panel. */
  readonly panelStyle: string;
}

/** Files that are registered elsewhere by their names, and so have no hash in them. */
export const FIXED_NAME = /^oauth-callback\.(?:html|js)$/;
