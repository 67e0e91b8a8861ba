import { hash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type BuildProblem, type Finding, problemOf } from '@petstore/site/build-log.ts';
import { levelOf } from '@petstore/site/rules.ts';
import { isNavigationPath, type Navigation } from '@petstore/site/site/sidebar.ts';
import type { Manifest } from '../../deploys/artifact.ts';
import type { DeployLimits } from '../../deploys/deploy-limits.ts';
import { IGNORED } from '../../deploys/local-files/folder-files.ts';
import { type LocalUpload, readLocalUpload } from '../../deploys/local-files/local-upload.ts';
import { locate } from '../deploy.ts';
import { DevBuilder } from './dev-builder.ts';
import { makeDevFolder } from './dev-folder.ts';
import type { DevServer, ShownProblem } from './dev-server.ts';
import type { DevSite } from './dev-site.ts';
import { type FileWatch, watchFiles } from './watch-files.ts';

/** How long nothing must change before a build, and how long a build waits for that at most, in milliseconds. */
const QUIET_MS = 50;
const MAX_WAIT_MS = 500;

interface DevOptions {
  readonly server: DevServer;
  /** Warnings are problems. */
  readonly strict: boolean;
  /** What the dashboard takes that the site is deployed to. */
  readonly limits: DeployLimits;
  /** Writes a line to the terminal. */
  readonly say: (line: string) => void;
}

export interface Dev {
  /** The first build has ended, well or not. */
  readonly isBuilt: Promise<void>;
  close(): void;
}

/**
 * Builds what is at a path, now and whenever it has changed, and has the server show it. Rejects with UserError where
 * there is nothing that could be built.
 */
export async function startDev(path: string, options: DevOptions): Promise<Dev> {
  const { server, say } = options;
  // What cannot be read at the start is most likely a mistyped path.
  await readLocalUpload(path, uploadLimits(options.limits));
  const folder = makeDevFolder();
  const round = buildRounds(path, folder, options);
  let isChanged = true;
  let changedAt = 0;
  let wake = () => {};
  const files = watchFiles(
    path,
    (name) => IGNORED.test(name),
    () => {
      isChanged = true;
      changedAt = performance.now();
      wake();
    },
  );

  /** Waits for the end of changes that come together: of an editor that saves, of a change of branches. */
  const calm = async () => {
    const end = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const now = performance.now();
      const left = Math.min(changedAt + QUIET_MS, end) - now;
      if (left <= 0) return;
      await sleep(left);
    }
  };

  const buildAgain = async () => {
    for (;;) {
      while (!isChanged) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
      await calm();
      isChanged = false;
      try {
        await round(files.refresh, async () => {
          await sleep(QUIET_MS);
          return isChanged;
        });
      } catch (error) {
        if (error instanceof UserError) say(error.message);
        else say(`The build failed because of a defect: ${(error as Error).stack}`);
      }
      first.resolve();
    }
  };
  const first = Promise.withResolvers<void>();
  void buildAgain();
  return {
    isBuilt: first.promise,
    close() {
      files.close();
      rmSync(folder, { recursive: true, force: true });
      void server.close();
    },
  };
}

const uploadLimits = ({ uploadBytes, unpackedBytes, archiveFiles }: DeployLimits) => ({
  ...{ bytes: uploadBytes, unpackedBytes, files: archiveFiles },
});

/** The function that builds what is at a path, unless it is what was built last. */
function buildRounds(path: string, folder: string, { server, strict, say, limits }: DevOptions) {
  const builder = new DevBuilder(limits.buildMemory);
  const run = randomBytes(4).toString('hex');
  let rounds = 0;
  let known: string | undefined;
  let told = new Set<string>();
  let others: readonly string[] = [];

  const fail = (upload: LocalUpload | undefined, problems: readonly BuildProblem[]) => {
    for (const problem of problems) say(upload ? locate(upload, problem) : problem.message);
    say(`${time()} Not built: ${count(problems.length, 'problem')}.`);
    server.tell(problems.map((problem) => shown(upload, problem)));
  };

  const build = async (input: LocalUpload): Promise<void> => {
    const begun = performance.now();
    rounds += 1;
    const isFirst = rounds === 1;
    if (isFirst) say(`${time()} Building ${path} …`);
    const findings: Finding[] = [];
    const job = {
      input: { ...input, limits, publication: { now: new Date().toISOString() } },
      pack: join(folder, `${rounds}`),
      build: `${run}-${rounds}`,
    };
    const outcome = await builder.build(job, (line) => {
      if ('rule' in line) findings.push(line);
    });
    const warnings = findings.filter(({ rule }) => levelOf(rule) === 'warning');
    const texts = [
      ...input.notes,
      ...warnings.map(({ rule, message, ...place }) =>
        locate(input, { message: `warning: ${message} [${rule}]`, ...place }),
      ),
    ];
    // Those that are known stand above.
    for (const text of texts) if (!told.has(text)) say(text);
    told = new Set(texts);
    if ('problems' in outcome) return fail(input, outcome.problems);
    if (strict && warnings.length > 0) {
      outcome.site.close();
      return fail(
        input,
        warnings.map(({ message, file, path: place, line }) => ({
          ...{ message, path: place || file, line },
        })),
      );
    }
    server.show(outcome.site);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const operations = operationsOf(outcome.site);
    const found = [
      count(pagesOf(outcome.site.manifest), 'page'),
      ...(operations > 0 ? [count(operations, 'operation')] : []),
      ...(warnings.length > 0 ? [count(warnings.length, 'warning')] : []),
    ];
    say(`${time()} ${isFirst ? 'Built' : 'Rebuilt'} in ${seconds} s: ${found.join(', ')}.`);
  };

  return async (
    refresh: FileWatch['refresh'],
    /** A file may go while it is read: whether the next round will read what is there then. */
    isChanging: () => Promise<boolean>,
  ): Promise<void> => {
    let input: LocalUpload;
    try {
      await refresh(others);
      const read = await readLocalUpload(path, uploadLimits(limits));
      // Nobody has seen the archive that a folder is packed into.
      input = read.kind === 'document' ? read : { ...read, name: path };
      others = input.files;
      await refresh(others);
    } catch (error) {
      if (await isChanging()) return;
      if (!(error instanceof UserError)) throw error;
      known = undefined;
      return fail(undefined, [problemOf(error.message)]);
    }
    const content = hash('sha256', input.bytes, 'hex');
    if (content === known) return;
    known = content;
    await build(input);
  };
}

const time = () => new Date().toTimeString().slice(0, 8);

const pagesOf = ({ files }: Manifest) =>
  Object.entries(files).filter(
    ([path, { type }]) =>
      type.startsWith('text/html') && path !== '/404.html' && !path.startsWith('/_'),
  ).length;

/** How many operations and webhooks the references list, by the addresses of their pages. */
function operationsOf({ manifest, read }: DevSite): number {
  const lists = Object.entries(manifest.files).filter(([path]) => isNavigationPath(path));
  const paths = lists.flatMap(([, { hash }]) => {
    const bytes = read(hash);
    if (!bytes) return [];
    const { tags } = JSON.parse(Buffer.from(bytes).toString()) as Navigation;
    return tags.flatMap(({ operations }) => operations.map(([, , path]) => path));
  });
  return new Set(paths).size;
}

/** A problem for the page: its place as the terminal has it. */
function shown(upload: LocalUpload | undefined, problem: BuildProblem): ShownProblem {
  const { message, path, line } = problem;
  const isPointer = path === '' || path.startsWith('/');
  const file = isPointer ? (upload?.name ?? '') : path;
  const pointer = isPointer && path !== '' ? ` (${path})` : '';
  return { place: `${file}${line === null ? '' : `:${line}`}${pointer}`, message };
}
