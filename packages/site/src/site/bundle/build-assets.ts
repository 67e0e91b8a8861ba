import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleScripts } from './scripts.ts';
import { type AssetManifest, MANIFEST } from './sources.ts';
import { bundleStyles } from './styles.ts';

// The process that makes the assets of sites, from the package's folder into another one.

const [root = '', outDir = ''] = process.argv.slice(2);

// Who asked for it is gone, and nobody waits for the build.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

await mkdir(outDir, { recursive: true });
const manifest: AssetManifest = {
  ...(await bundleScripts(root, outDir)),
  ...(await bundleStyles(join(root, 'browser/styles'), outDir)),
};
await writeFile(join(outDir, MANIFEST), JSON.stringify(manifest));
process.exit();
