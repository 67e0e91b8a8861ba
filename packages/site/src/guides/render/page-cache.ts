import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { SourceFiles } from '../../build-log.ts';
import type { LinkTargets } from '../links/link-target.ts';
import type { RenderedPage } from './render-page.ts';

/** A page, and the files that it includes. */
export interface CachedPage {
  readonly page: RenderedPage;
  readonly included: readonly string[];
}

interface Entry extends CachedPage {
  /** Of what it includes, together. */
  readonly hash: string;
}

/**
 * The pages of the latest build, for a process that builds the same folder again and again. A page is rendered anew when
 * its Markdown changes, or a file that it includes, and all are when what they may link to does.
 */
export class PageCache {
  #pages = new Map<string, Entry>();

  /** Begins a build of these files. What it does not keep is forgotten with the next one. */
  round(targets: LinkTargets, files: SourceFiles) {
    const ofTargets = hash('sha256', serialize(targets), 'hex');
    const keyOf = (file: string) =>
      `${ofTargets} ${hash('sha256', files.get(file) ?? '', 'hex')} ${file}`;
    const hashOf = (included: readonly string[]) => {
      const contents = included.map((path) => files.get(path));
      return hash('sha256', serialize(contents), 'hex');
    };
    const earlier = this.#pages;
    const kept = new Map<string, Entry>();
    this.#pages = kept;
    return {
      find(file: string): CachedPage | undefined {
        const found = earlier.get(keyOf(file));
        return found && hashOf(found.included) === found.hash ? found : undefined;
      },
      keep(file: string, { page, included }: CachedPage): void {
        kept.set(keyOf(file), { page, included, hash: hashOf(included) });
      },
    };
  }
}
