import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import type { AssetManifest } from './sources.ts';

const version = (major: number, minor = 0) => (major << 16) | (minor << 8);

/** What browsers of the last two years understand, `light-dark()` included. */
const TARGETS = {
  chrome: version(123),
  firefox: version(124),
  safari: version(17, 5),
  ios_saf: version(17, 5),
};

/** The styles that others build on come first. The panel's are loaded with it. */
const FIRST = ['site.css', 'page.css'];
const PANEL = 'panel.css';

/** Makes one style of all that pages need, and one of the panel's. */
export async function bundleStyles(
  folder: string,
  outDir: string,
): Promise<Pick<AssetManifest, 'siteStyle' | 'panelStyle'>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.css')).sort();
  const others = names.filter((name) => name !== PANEL && !FIRST.includes(name));
  return {
    siteStyle: await bundle('site', [...FIRST, ...others]),
    panelStyle: await bundle('panel', [PANEL]),
  };

  async function bundle(name: string, files: readonly string[]): Promise<string> {
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const { code, warnings } = transform({
      filename: `${name}.css`,
      code: Buffer.from(texts.join('\n')),
      minify: true,
      targets: TARGETS,
    });
    if (warnings[0]) throw new Error(`${files.join(', ')}: ${warnings[0].message}`);
    const file = `${name}-${hash('sha256', code, 'hex').slice(0, 16)}.css`;
    await writeFile(join(outDir, file), code);
    return file;
  }
}
