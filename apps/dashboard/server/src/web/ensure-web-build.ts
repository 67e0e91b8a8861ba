import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '@petstore/service/user-error.ts';

const WEB = fileURLToPath(new URL('../../../web', import.meta.url));
const PROGRAM = fileURLToPath(new URL('build-web.ts', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** The sources of a build; a change of any leads to another build. */
const SOURCES = ['index.html', 'vite.config.ts', 'public', 'src'];

/** The limits of the build, in MB and milliseconds. Vite needs far less. */
const BUILD_HEAP_MB = 512;
const BUILD_TIMEOUT_MS = 120_000;

/** How many letters of a failed build's output are shown. */
const MOST_COMPLAINTS = 4_000;

/** A build that has not been used for this long is deleted, unless another process may serve it. */
const KEEP_OLD_BUILDS_MS = 24 * 60 * 60 * 1000;

/**
 * The folder of the web UI's files, built first where these sources have not been built yet (one to two
 * seconds). Each build has a folder of its own that is named by the hash of its sources and appears whole
 * or not at all, so several processes may do this at once, and none sees another's files go or change.
 * `builds`: where those folders are kept. Throws UserError where what builds them is not installed.
 */
export async function ensureWebBuild(
  log: { info(message: string): void },
  builds = join(WEB, 'dist'),
): Promise<string> {
  const folder = join(builds, await hashSources());
  if (existsSync(folder)) return folder;

  if (!isViteInstalled()) throw new UserError(NOT_INSTALLED);
  log.info('building the web UI, which takes a few seconds once');
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

/** The build tools are large, and an installation with finished pages does not have them. */
const NOT_INSTALLED =
  "The dashboard's pages are not built, and Vite, which builds them, is not installed. Run `npm ci && npm run build`; " +
  'after that, `npm prune --omit=dev` removes what only building and testing need.';

function isViteInstalled(): boolean {
  try {
    import.meta.resolve('vite');
    return true;
  } catch {
    return false;
  }
}

/** In another process: the build takes hundreds of megabytes, which end with it. */
async function build(outDir: string): Promise<void> {
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const child = fork(PROGRAM, [WEB, outDir], {
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
  if (code !== 0) throw new Error(`The web UI cannot be built (${signal ?? code}): ${complaints}`);
}

async function hashSources(): Promise<string> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(PACKAGE, 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify([dependencies, devDependencies]));
  for (const source of SOURCES) {
    for (const path of await filesBelow(join(WEB, source))) {
      const bytes = await readFile(path);
      hash.update(`\n${path.slice(WEB.length)} ${bytes.length}\n`).update(bytes);
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

async function removeOldBuilds(builds: string, current: string): Promise<void> {
  for (const name of await readdir(builds)) {
    const path = join(builds, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (path !== current && age > KEEP_OLD_BUILDS_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

// npm run build
if (import.meta.main) await ensureWebBuild({ info: (message) => console.log(message) });
