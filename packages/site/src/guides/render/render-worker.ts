import { parentPort } from 'node:worker_threads';
import { type Hints, hintsOfMany, type LinkTargets } from '../links/link-target.ts';
import { type RenderedPage, renderPage } from './render-page.ts';
import { type SharedFiles, sharedFile } from './shared-files.ts';

// A thread that renders the pages of one site after the other, and can be ended in the middle of one. It says when it is
// ready for those of a site.

/** A site: what its pages may link to, and all its Markdown, which is pages and what these may include. */
interface RenderedSite {
  readonly targets: LinkTargets;
  readonly files: SharedFiles;
}

/** A site, a page of it, or that there is no site any more, which is not answered. */
export type ToRenderThread = RenderedSite | string | undefined;

export type FromRenderThread = 'ready' | RenderResult;

/** `included`: the files that the page includes, or would if they were there. */
export type RenderResult =
  | { readonly page: RenderedPage; readonly included: readonly string[] }
  | { readonly error: unknown };

const answer = (message: FromRenderThread) => parentPort?.postMessage(message);

let site: (RenderedSite & { readonly hints: Hints }) | undefined;

parentPort?.on('message', async (message: ToRenderThread) => {
  if (typeof message === 'string') {
    if (site) answer(await render(message, site));
    return;
  }
  site = message && { ...message, hints: hintsOfMany() };
  if (site) answer('ready');
});

async function render(
  file: string,
  { targets, files, hints }: NonNullable<typeof site>,
): Promise<RenderResult> {
  const included = new Set<string>();
  const include = (path: string) => {
    included.add(path);
    return sharedFile(files, path);
  };
  try {
    const content = sharedFile(files, file) ?? new Uint8Array();
    const page = await renderPage(file, content, targets, include, hints);
    return { page, included: [...included] };
  } catch (error) {
    return { error };
  }
}
