import { parentPort, workerData } from 'node:worker_threads';
import type { LinkTargets } from '../links/link-target.ts';
import { type RenderedPage, renderPage } from './render-page.ts';
import { type SharedFiles, sharedFile } from './shared-files.ts';

// A thread that says when it is ready, renders one page after the other, and can be ended in the middle of one.

export interface ThreadData {
  readonly targets: LinkTargets;
  /** All Markdown: pages, and what these may include. */
  readonly files: SharedFiles;
}

/** `included`: the files that the page includes, or would if they were there. */
export type RenderResult =
  | { readonly page: RenderedPage; readonly included: readonly string[] }
  | { readonly error: unknown };

const { targets, files } = workerData as ThreadData;

parentPort?.on('message', async (file: string) => {
  const included = new Set<string>();
  const include = (path: string) => {
    included.add(path);
    return sharedFile(files, path);
  };
  const content = sharedFile(files, file) ?? new Uint8Array();
  const result = await renderPage(file, content, targets, include).then(
    (page): RenderResult => ({ page, included: [...included] }),
    (error): RenderResult => ({ error }),
  );
  parentPort?.postMessage(result);
});
parentPort?.postMessage('ready');
