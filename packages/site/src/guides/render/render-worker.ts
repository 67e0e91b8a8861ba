import { parentPort, workerData } from 'node:worker_threads';
import type { SourceFiles } from '../../build-log.ts';
import type { LinkTargets } from '../links/link-target.ts';
import { type RenderedPage, renderPage } from './render-page.ts';

// A thread that says when it is ready, renders one page after the other, and can be ended in the middle of one.

export interface RenderJob {
  readonly file: string;
  readonly content: Uint8Array;
}

/** `included`: the files that the page includes, or would if they were there. */
export type RenderResult =
  | { readonly page: RenderedPage; readonly included: readonly string[] }
  | { readonly error: unknown };

const { targets, markdown } = workerData as {
  readonly targets: LinkTargets;
  readonly markdown: SourceFiles;
};

parentPort?.on('message', async ({ file, content }: RenderJob) => {
  const included = new Set<string>();
  const include = (path: string) => {
    included.add(path);
    return markdown.get(path);
  };
  const result = await renderPage(file, content, targets, include).then(
    (page): RenderResult => ({ page, included: [...included] }),
    (error): RenderResult => ({ error }),
  );
  parentPort?.postMessage(result);
});
parentPort?.postMessage('ready');
