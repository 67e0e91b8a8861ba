import type { BuildLog, BuildProblem, SourceFiles } from '../../build-log.ts';
import { problemOf } from '../../build-log.ts';
import type { LinkTargets } from '../links/link-target.ts';
import { isMarkdown, isPage } from '../links/site-paths.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { MAX_PAGE_SIZE, type RenderedPage } from './render-page.ts';
import { RenderThread } from './render-thread.ts';
import { type RenderTime, slowPages } from './render-time.ts';
import { shareFiles } from './shared-files.ts';

const MB = 1024 * 1024;

/** Two, as the rest of a build has: one makes files, and another one packs them. */
const THREADS = 2;

/** For fewer pages a second thread takes longer to start than it saves. */
const PAGES_PER_THREAD = 100;

/** After how many pages the log says how many there are. */
const TOLD = 5_000;

interface RenderOptions {
  readonly time: RenderTime;
  readonly log: BuildLog;
  /** Pages of an earlier round that need no rendering. */
  readonly cache?: PageCache | undefined;
}

/**
 * Renders all Markdown files, in the order of their paths. That uses threads of their own, so that a page that takes too
 * much time or memory can be stopped. Links that lead nowhere are not among the problems: `brokenLinks` has them.
 */
export async function renderPages(
  files: SourceFiles,
  targets: LinkTargets,
  { time, log, cache }: RenderOptions,
): Promise<{ readonly pages: RenderedPage[]; readonly problems: BuildProblem[] }> {
  const names = [...files.keys()].filter(isPage).sort();
  const problems = tooLarge(names, files);
  if (problems.length > 0) return { pages: [], problems };
  const known = cache?.round(targets, files);
  const results = new Map<string, CachedPage>();
  for (const file of names) {
    const earlier = known?.find(file);
    if (earlier) results.set(file, earlier);
  }
  const queue = names.filter((file) => !results.has(file));
  const refusal = await renderQueue(queue, files, targets, { time, log }, (file, result) =>
    results.set(file, result),
  );
  if (refusal) problems.push(refusal);
  const pages: RenderedPage[] = [];
  for (const file of names) {
    const result = results.get(file);
    if (!result) continue;
    known?.keep(file, result);
    pages.push(result.page);
    for (const { message, line, isLink } of result.page.links.problems) {
      if (!isLink) problems.push({ message, path: file, line });
    }
  }
  return { pages, problems };
}

/** Renders pages in some threads. Gives why it ended early, where it did. Rejects because of a defect. */
async function renderQueue(
  queue: readonly string[],
  files: SourceFiles,
  targets: LinkTargets,
  { time, log }: Pick<RenderOptions, 'time' | 'log'>,
  onRendered: (file: string, result: CachedPage) => void,
): Promise<BuildProblem | undefined> {
  const markdown = shareFiles(new Map([...files].filter(([path]) => isMarkdown(path))));
  const slow = slowPages();
  const left = queue.values();
  const end = performance.now() + time.total;
  const threads: RenderThread[] = [];
  let refusal: BuildProblem | undefined;
  let rendered = 0;
  const refuse = (problem: BuildProblem) => {
    refusal = problem;
    // In the middle of a page, which nobody needs any more.
    return Promise.all(threads.map((thread) => thread.end()));
  };
  const renderSome = async () => {
    const thread = await RenderThread.start(targets, markdown);
    threads.push(thread);
    for (const file of left) {
      const begun = performance.now();
      const most = Math.min(time.page, end - begun);
      const result = await thread.render(file, most);
      if (refusal) return;
      slow.add(file, performance.now() - begun);
      if (result === 'too slow' && most < time.page)
        await refuse(problemOf(slow.tooSlowTogether(rendered, queue.length, time)));
      else if (typeof result === 'string') await refuse(problemOf(ABORTED[result], file));
      else if ('error' in result) throw result.error;
      else {
        onRendered(file, result);
        rendered += 1;
        if (rendered % TOLD === 0 && rendered < queue.length)
          log({ message: `Rendered ${number(rendered)} of ${number(queue.length)} pages.` });
      }
      if (refusal) return;
    }
  };
  const count = Math.min(THREADS, Math.ceil(queue.length / PAGES_PER_THREAD));
  try {
    await Promise.all(Array.from({ length: count }, renderSome));
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
  return refusal;
}

const number = (value: number) => value.toLocaleString('en');

const ABORTED = {
  'too slow':
    'The page takes too long to render. Split it, or look for thousands of unclosed marks.',
  'too large': 'The page takes too much memory to render. Split it.',
};

function tooLarge(names: readonly string[], files: SourceFiles): BuildProblem[] {
  return names
    .filter((file) => (files.get(file)?.length ?? 0) > MAX_PAGE_SIZE)
    .map((path) => problemOf(`The page is larger than ${MAX_PAGE_SIZE / MB} MB.`, path));
}
