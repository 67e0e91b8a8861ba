import { copyFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { ASSET_SOURCES, type AssetManifest } from './sources.ts';

/** What browsers of the last two years understand. */
const TARGET = ['chrome123', 'firefox124', 'safari17.4'];

const HASHED = '[name]-[hash:16].js';

/** Bundles all scripts into `outDir`. What a page rarely needs becomes a chunk of its own, loaded on first use. */
export async function bundleScripts(
  root: string,
  outDir: string,
): Promise<Pick<AssetManifest, 'theme' | 'siteScript' | 'diagramScript'>> {
  const bundle = (name: string, options: OutputOptions) =>
    bundleScript(root, join('browser', `${name}.ts`), { dir: outDir, ...options });
  await copyFile(join(root, 'browser/oauth-callback.html'), join(outDir, 'oauth-callback.html'));
  await bundle('oauth-callback', { format: 'iife', entryFileNames: '[name].js' });
  return {
    theme: await bundle('theme', { format: 'iife', entryFileNames: HASHED }),
    siteScript: await bundle('site', {
      format: 'esm',
      entryFileNames: HASHED,
      chunkFileNames: HASHED,
    }),
    diagramScript: await bundle('diagrams/frame', { format: 'esm', entryFileNames: HASHED }),
  };
}

/** Bundles one script with what it imports; the name of its file. */
async function bundleScript(root: string, input: string, output: OutputOptions): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: join(root, input),
    platform: 'browser',
    transform: { target: TARGET },
    plugins: [refuseOtherSources(root)],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message);
    },
  });
  try {
    const { output: files } = await bundle.write({
      ...output,
      minify: true,
      hashCharacters: 'hex',
      sourcemap: false,
    });
    return files[0].fileName;
  } finally {
    await bundle.close();
  }
}

/** A module that is not counted as a source could change without a new build. */
function refuseOtherSources(root: string): Plugin {
  return {
    name: 'refuse-other-sources',
    moduleParsed({ id }) {
      const path = relative(root, id).replaceAll(sep, '/');
      const isSource = ASSET_SOURCES.some((source) => `${path}/`.startsWith(`${source}/`));
      if (!isSource && !id.startsWith('\0') && !id.includes('node_modules')) {
        throw new Error(
          `A script of the site imports ${path}, which ASSET_SOURCES does not have. Add it there.`,
        );
      }
    },
  };
}
