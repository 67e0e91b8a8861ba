import { type Html, html } from '@petstore/http/html.ts';

/** Where the script is that each page of `dashboard dev` loads (reload.js). */
export const RELOAD_PATH = '/_dev/reload.js';

/** In place of a build's name, where there is none yet. */
export const NO_BUILD = 'none';

/** The element that loads the script, and tells it which build the page is from. */
export const reloadTag = (build: string): Html =>
  html`<script type="module" src="${RELOAD_PATH}" data-build="${build}"></script>`;
