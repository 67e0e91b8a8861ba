import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOnce, hashSources, runBuild } from '@petstore/service/build-once.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { ASSET_SOURCES, type AssetManifest, FIXED_NAME, MANIFEST } from './bundle/sources.ts';
import { type SiteFile, TYPES } from './site-files.ts';

/** Files that pages load, which are the same on all sites. The fields are paths of the site. */
export interface SiteAssets extends Omit<AssetManifest, 'diagramScript'> {
  readonly files: readonly SiteFile[];
  /** Not among `files`, since only sites with diagrams have it. */
  readonly diagramScript: SiteFile;
}

let shared: Promise<SiteAssets> | undefined;

/**
 * Scripts and styles that all sites share. They are built first where these sources have not been built yet (one to
 * two seconds). Throws UserError where what builds them is not installed.
 */
export function siteAssets(): Promise<SiteAssets> {
  shared ??= siteAssetsFolder()
    .then(readAssets)
    .catch((error) => {
      shared = undefined;
      throw error;
    });
  return shared;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A package without these sources has their build beside this module. */
const SHIPPED = fileURLToPath(new URL('site-assets', import.meta.url));

/** The folder of the assets, for `site-assets/` of a package that has this code without its sources. */
export async function siteAssetsFolder(builds = join(ROOT, 'dist')): Promise<string> {
  if (existsSync(SHIPPED)) return SHIPPED;
  const sources = { root: ROOT, paths: ASSET_SOURCES, manifest: join(ROOT, 'package.json') };
  return buildOnce(builds, await hashSources(sources), async (outDir) => {
    if (!areToolsInstalled()) throw new UserError(NOT_INSTALLED);
    const program = join(ROOT, 'src/site/bundle/build-assets.ts');
    await runBuild('The scripts and styles of sites', program, [ROOT, outDir]);
  });
}

const NOT_INSTALLED =
  'The scripts and styles of sites are not built, and Rolldown and Lightning CSS, which build them, are not installed. Run `npm ci`.';

function areToolsInstalled(): boolean {
  try {
    import.meta.resolve('rolldown');
    import.meta.resolve('lightningcss');
    return true;
  } catch {
    return false;
  }
}

const ASSET_TYPES: Readonly<Record<string, string>> = {
  '.css': TYPES.css,
  '.html': TYPES.html,
  '.js': TYPES.javascript,
};

async function readAssets(folder: string): Promise<SiteAssets> {
  const names = (await readdir(folder)).filter((name) => name !== MANIFEST).sort();
  const manifest: AssetManifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
  const files = await Promise.all(
    names.map(async (name): Promise<SiteFile> => {
      const file = {
        path: pathOf(name),
        type: ASSET_TYPES[extname(name)] ?? TYPES.text,
        content: await readFile(join(folder, name), 'utf8'),
      };
      return FIXED_NAME.test(name) ? file : { ...file, immutable: true };
    }),
  );
  const diagramScript = files.find(({ path }) => path === pathOf(manifest.diagramScript));
  if (!diagramScript) throw new Error(`${folder} has no ${manifest.diagramScript}.`);
  return {
    files: files.filter((file) => file !== diagramScript),
    diagramScript,
    theme: pathOf(manifest.theme),
    siteScript: pathOf(manifest.siteScript),
    siteStyle: pathOf(manifest.siteStyle),
    panelStyle: pathOf(manifest.panelStyle),
  };
}

const pathOf = (name: string) => `/_assets/${name}`;
