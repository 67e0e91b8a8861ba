import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { html } from '@petstore/http/html.ts';
import { assetPath } from './asset.ts';
import type { SiteAssets } from './assets.ts';
import { DIAGRAM_FRAME } from './policy.ts';
import { type SiteFile, TYPES } from './site-files.ts';

const FOLDER = fileURLToPath(new URL('../../vendor/mermaid', import.meta.url));

/** The module that loads the others; for Node too. */
export const MERMAID = join(FOLDER, 'mermaid.esm.min.mjs');

/** What a site with diagrams has besides: Mermaid, and the page in a frame that draws with it. */
export function diagramFiles({ diagramScript }: SiteAssets): SiteFile[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).sort();
  const modules = names.filter((name) => name.endsWith('.mjs'));
  const contents = modules.map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  // They import each other by their names, so the folder's name stands for all contents.
  const folder = assetPath('mermaid', '', contents.join('\n')).replace(/\.$/, '');
  const pathOf = (name: string) => `${folder}/${name.replaceAll('\\', '/')}`;
  return [
    ...modules.map((name, at): SiteFile => {
      const content = contents[at] ?? '';
      return { path: pathOf(name), type: TYPES.javascript, content, immutable: true };
    }),
    diagramScript,
    {
      path: DIAGRAM_FRAME,
      type: TYPES.html,
      content: html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="robots" content="noindex">
<meta name="mermaid" content="${pathOf('mermaid.esm.min.mjs')}">
<title>Diagrams</title>
<script type="module" src="${diagramScript.path}"></script>
</html>
`.text,
    },
  ];
}
