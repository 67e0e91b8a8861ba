import { hash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The address of a module as one file with all that it imports. The first start makes it, in a third of a second, and
 * keeps it where Node keeps compiled code (NODE_COMPILE_CACHE). Where there is no such folder, or nothing can be written
 * to it, this is the module's own address: it does the same, and takes longer to load. `manifest`: the package.json of what
 * it imports, so that another version is another file.
 */
export async function asOneFile(module: URL, { manifest }: { manifest: URL }): Promise<string> {
  const { NODE_COMPILE_CACHE: cache } = process.env;
  if (!cache) return module.href;
  const made = hash('sha256', `${readFileSync(module)}${readFileSync(manifest)}`).slice(0, 32);
  const folder = join(cache, 'one-file');
  const file = join(folder, `${made}.mjs`);
  if (!existsSync(file)) {
    try {
      const draft = `${file}.${randomUUID()}`;
      mkdirSync(folder, { recursive: true });
      // Before it is made: a folder that cannot be written to costs no more than this.
      writeFileSync(draft, '');
      try {
        // Whole even after a power cut: it is never looked at again.
        writeFileSync(draft, await bundled(fileURLToPath(module)), { flush: true });
        // At once, since other processes may start at the same time.
        renameSync(draft, file);
      } finally {
        rmSync(draft, { force: true });
      }
    } catch {
      return module.href;
    }
  }
  return pathToFileURL(file).href;
}

async function bundled(input: string): Promise<string> {
  const { build } = await import('rolldown');
  const { output } = await build({ input, platform: 'node', write: false, logLevel: 'silent' });
  return output[0].code;
}
