import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { LinkTargets } from '../links/link-target.ts';
import type { RenderedPage } from './render-page.ts';
import type { RenderJob } from './render-worker.ts';

/**
 * The pages of the latest build, for a process that builds the same folder again and again. A page is rendered anew when
 * its Markdown changes, and all are when what they may link to does.
 */
export class PageCache {
  #pages = new Map<string, RenderedPage>();

  /** Begins a build. What it does not keep is forgotten with the next one. */
  round(targets: LinkTargets) {
    const ofTargets = hash('sha256', serialize(targets), 'hex');
    const keyOf = ({ file, content }: RenderJob) =>
      `${ofTargets} ${hash('sha256', content, 'hex')} ${file}`;
    const earlier = this.#pages;
    const kept = new Map<string, RenderedPage>();
    this.#pages = kept;
    return {
      find: (job: RenderJob) => earlier.get(keyOf(job)),
      keep: (job: RenderJob, page: RenderedPage) => void kept.set(keyOf(job), page),
    };
  }
}
