import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Copies Mermaid, as its package has it for browsers, into packages/site/vendor/mermaid. Run it for another version:
// change both constants (`npm view mermaid@VERSION dist.integrity`), then `node vendor-mermaid.ts`. The package with
// what it depends on would be 190 MB of every install; these files are 5.

const VERSION = '12.3.0';
const INTEGRITY =
  'sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==';

const VENDORED = fileURLToPath(new URL('../../vendor/mermaid', import.meta.url));

/** The module that browsers load first, and those that it loads for each kind of diagram. */
const ENTRY = 'mermaid.esm.min.mjs';
const CHUNKS = 'chunks/mermaid.esm.min';

const README = `# Mermaid ${VERSION}

The files for browsers of the npm package \`mermaid\`, unchanged: \`${ENTRY}\` and what it loads. MIT license.
\`packages/site/scripts/vendor-mermaid/vendor-mermaid.ts\` put them here and compared the package with

    ${INTEGRITY}

The files have other packages in them, under their own licenses: Cytoscape, d3, dagre, DOMPurify, KaTeX, Khroma, Marked,
RoughJS and smaller ones (MIT, ISC, BSD, Apache-2.0), and \`elk-*.mjs\` the Eclipse Layout Kernel (EPL-2.0), whose source
is at https://github.com/kieler/elkjs.
`;

const folder = await mkdtemp(join(tmpdir(), 'mermaid-'));
try {
  const packed = execFileSync('npm', ['pack', '--json', `mermaid@${VERSION}`], { cwd: folder });
  const [{ filename, integrity }] = JSON.parse(packed.toString());
  if (integrity !== INTEGRITY) {
    throw new Error(`mermaid@${VERSION} is ${integrity}, and not ${INTEGRITY}.`);
  }
  execFileSync('tar', ['-xzf', filename], { cwd: folder });
  const dist = join(folder, 'package/dist');
  await rm(VENDORED, { recursive: true, force: true });
  await cp(join(dist, ENTRY), join(VENDORED, ENTRY));
  for (const name of await readdir(join(dist, CHUNKS))) {
    if (name.endsWith('.mjs')) await cp(join(dist, CHUNKS, name), join(VENDORED, CHUNKS, name));
  }
  await cp(join(folder, 'package/LICENSE'), join(VENDORED, 'LICENSE'));
  await writeFile(join(VENDORED, 'README.md'), README);
} finally {
  await rm(folder, { recursive: true });
}
