import { copyFile, cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { siteAssetsFolder } from '@petstore/site/site/assets.ts';
import { build } from 'rolldown';

// Makes dist/, which the package has in place of the source. `npm pack` runs it (prepack).
//
// The workspace's own packages are not published, so their code goes into it; everything else stays a
// dependency, for npm to keep up to date.

const FOLDER = new URL('../', import.meta.url);
const DIST = new URL('dist/', FOLDER);
const WORKSPACE = new URL('../../', FOLDER);
/** The letters of preview images. */
const PREVIEWS = new URL('packages/site/src/site/preview/', WORKSPACE);

const { default: manifest } = await import('../package.json', { with: { type: 'json' } });
const dependencies = Object.keys(manifest.dependencies);

await rm(DIST, { recursive: true, force: true });
await build({
  cwd: fileURLToPath(FOLDER),
  input: {
    main: 'src/main.ts',
    launch: '@petstore/service/start.js',
    // Named by no import: a thread is started by its file.
    'writer-thread': 'src/store/sqlite/writer-thread.ts',
    'delivery-thread': 'src/webhooks/delivery/delivery-thread.ts',
    'site-thread': 'src/openapi/reference/site-thread.ts',
  },
  platform: 'node',
  external: dependencies.map((name) => new RegExp(`^${name}(/|$)`)),
  output: { dir: fileURLToPath(DIST), format: 'esm' },
});
// Beside the module that looks for them there.
await cp(await siteAssetsFolder(), new URL('site-assets/', DIST), { recursive: true });
for (const name of ['atlas.png', 'atlas.json', 'OFL.txt']) {
  await copyFile(new URL(name, PREVIEWS), new URL(name, DIST));
}
await copyFile(new URL('LICENSE', WORKSPACE), new URL('LICENSE', FOLDER));
