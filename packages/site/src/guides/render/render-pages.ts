import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type BuildProblem, problemOf, type SourceFiles } from '../../build-log.ts';
import type { LinkTargets } from '../links/link-target.ts';
import { isMarkdown, isPage } from '../links/site-paths.ts';
import type { CachedPage, PageCache } from './page-cache.ts';
import { MAX_PAGE_SIZE, type RenderedPage } from './render-page.ts';
import type { RenderJob, RenderResult } from './render-worker.ts';

const MB = 1024 * 1024;

/** The most bytes of all pages together. */
const MAX_TOTAL_SIZE = 20 * MB;

/**
 * In milliseconds. A page of 2 MB takes one to three seconds, 20 MB of pages 12 to 28. A malicious page would take
 * hours, and all deploys would wait behind it.
 */
const PAGE_DEADLINE = 10_000;
const TOTAL_DEADLINE = 30_000;

const HEAP_MB = 1024;

/**
 * Renders all Markdown files, in the order of their paths. That uses a thread of its own, so that the service stays
 * responsive, and so that a page that takes too much time or memory can be stopped. Links that lead nowhere are not
 * among the problems: `brokenLinks` has them.
 */
export async function renderPages(
  files: SourceFiles,
  targets: LinkTargets,
  deadlines = { page: PAGE_DEADLINE, total: TOTAL_DEADLINE },
  /** Pages of an earlier round that need no rendering. */
  cache?: PageCache,
): Promise<{ readonly pages: RenderedPage[]; readonly problems: BuildProblem[] }> {
  const names = [...files.keys()].filter(isPage).sort();
  const problems = tooLarge(names, files);
  if (problems.length > 0 || names.length === 0) return { pages: [], problems };
  const pages: RenderedPage[] = [];
  const end = performance.now() + deadlines.total;
  const known = cache?.round(targets, files);
  let worker: Worker | undefined;
  const readyWorker = async () => {
    if (worker) return worker;
    worker = startWorker(targets, files);
    // The first page has all of its time, however long the thread takes to start.
    await once(worker, 'message');
    return worker;
  };
  try {
    for (const file of names) {
      const job = { file, content: files.get(file) ?? new Uint8Array() };
      const earlier = known?.find(job);
      const thread = earlier ? undefined : await readyWorker();
      const left = end - performance.now();
      const result = thread
        ? await ask(thread, job, Math.min(deadlines.page, left))
        : (earlier as CachedPage);
      if (result === 'too slow' && left < deadlines.page) {
        problems.push(problemOf(TOO_SLOW_TOGETHER));
        break;
      }
      if (result === 'too slow' || result === 'too large') {
        problems.push(problemOf(ABORTED[result], file));
        break;
      }
      if ('error' in result) throw result.error;
      pages.push(result.page);
      known?.keep(job, result);
      for (const { message, line, isLink } of result.page.links.problems) {
        if (!isLink) problems.push({ message, path: file, line });
      }
    }
  } finally {
    await worker?.terminate();
  }
  return { pages, problems };
}

const TOO_SLOW_TOGETHER =
  'The guides take too long to render together. Publish fewer or shorter pages, or several sites.';

const ABORTED = {
  'too slow':
    'The page takes too long to render. Split it, or look for thousands of unclosed marks.',
  'too large': 'The page takes too much memory to render. Split it.',
};

function tooLarge(names: readonly string[], files: SourceFiles): BuildProblem[] {
  const size = (file: string) => files.get(file)?.length ?? 0;
  const total = names.reduce((sum, file) => sum + size(file), 0);
  const problems = names
    .filter((file) => size(file) > MAX_PAGE_SIZE)
    .map((path) => problemOf(`The page is larger than ${MAX_PAGE_SIZE / MB} MB.`, path));
  if (total <= MAX_TOTAL_SIZE) return problems;
  return [...problems, problemOf(`The pages have more than ${MAX_TOTAL_SIZE / MB} MB together.`)];
}

function startWorker(targets: LinkTargets, files: SourceFiles): Worker {
  return new Worker(new URL('./render-worker.ts', import.meta.url), {
    workerData: { targets, markdown: includable(files) },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** All that pages may include. */
function includable(files: SourceFiles): SourceFiles {
  return new Map([...files].filter(([path]) => isMarkdown(path)));
}

async function ask(
  worker: Worker,
  job: RenderJob,
  deadline: number,
): Promise<RenderResult | 'too slow' | 'too large'> {
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(deadline)));
  worker.postMessage(job);
  try {
    const [result] = await once(worker, 'message', { signal });
    return result as RenderResult;
  } catch (error) {
    if (signal.aborted) return 'too slow';
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'too large';
    throw error;
  }
}
