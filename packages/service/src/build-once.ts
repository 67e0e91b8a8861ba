import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A build that has not been used for this long is deleted, unless another process may serve it. */
const KEEP_OLD_BUILDS_MS = 24 * 60 * 60 * 1000;

/**
 * The folder of the build `name`, which `build` makes first where there is none. `builds` is the folder of all builds.
 * A build appears whole or not at all, so several processes may do this at once, and none sees another's files go or
 * change.
 */
export async function buildOnce(
  builds: string,
  name: string,
  build: (outDir: string) => Promise<void>,
): Promise<string> {
  const folder = join(builds, name);
  if (existsSync(folder)) return folder;

  const unfinished = join(builds, `unfinished-${randomBytes(6).toString('hex')}`);
  try {
    await build(unfinished);
    await rename(unfinished, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster and has built the same.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeOldBuilds(builds, folder);
  return folder;
}

async function removeOldBuilds(builds: string, current: string): Promise<void> {
  for (const name of await readdir(builds)) {
    const path = join(builds, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (path !== current && age > KEEP_OLD_BUILDS_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

export interface Sources {
  /** The folder that `paths` begin in. */
  readonly root: string;
  /** Files and folders; a change of any leads to another build. */
  readonly paths: readonly string[];
  /** A `package.json`, of whose dependencies a change leads to another build as well. */
  readonly manifest: string;
}

/** The name of a build: the hash of what it is made from. */
export async function hashSources({ root, paths, manifest }: Sources): Promise<string> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(manifest, 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify([dependencies, devDependencies]));
  for (const path of paths) {
    for (const file of await filesBelow(join(root, path))) {
      const bytes = await readFile(file);
      hash.update(`\n${relative(root, file)} ${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesBelow(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The limits of a build's process, in MB and milliseconds. Builds need far less. */
const BUILD_HEAP_MB = 512;
const BUILD_TIMEOUT_MS = 120_000;

/** How many letters of a failed build's output are shown. */
const MOST_COMPLAINTS = 4_000;

/**
 * Runs a program that builds. It has a process of its own, since bundlers take hundreds of megabytes, which end with
 * it. `what` names the build in the error of one that fails.
 */
export async function runBuild(
  what: string,
  program: string,
  args: readonly string[],
): Promise<void> {
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const child = fork(program, args, {
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...(PATH && { PATH }) },
    execArgv: [`--max-old-space-size=${BUILD_HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: BUILD_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    complaints = (complaints + text).slice(-MOST_COMPLAINTS);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${what} cannot be built (${signal ?? code}): ${complaints}`);
}
