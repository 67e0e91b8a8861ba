import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOnce, hashSources, runBuild } from '@petstore/service/build-once.ts';
import { UserError } from '@petstore/service/user-error.ts';

const WEB = fileURLToPath(new URL('../../../web', import.meta.url));
const PROGRAM = fileURLToPath(new URL('build-web.ts', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

const SOURCES = {
  root: WEB,
  paths: ['index.html', 'vite.config.ts', 'public', 'src'],
  manifest: PACKAGE,
};

/**
 * The folder of the web UI's files, built first where these sources have not been built yet (one to two seconds).
 * `builds`: where such folders are kept. Throws UserError where what builds them is not installed.
 */
export async function ensureWebBuild(
  log: { info(message: string): void },
  builds = join(WEB, 'dist'),
): Promise<string> {
  return buildOnce(builds, await hashSources(SOURCES), async (outDir) => {
    if (!isViteInstalled()) throw new UserError(NOT_INSTALLED);
    log.info('building the web UI, which takes a few seconds once');
    await runBuild('The web UI', PROGRAM, [WEB, outDir]);
  });
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

// npm run build
if (import.meta.main) {
  const { siteAssetsFolder } = await import('@petstore/site/site/assets.ts');
  await ensureWebBuild({ info: (message) => console.log(message) });
  await siteAssetsFolder();
}
