import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

let script: Promise<string> | undefined;

/**
 * The program that draws the reference in the browser (4.3 MB), out of the package that serves it. Loaded
 * when it is first asked for: most processes never are.
 */
export function scalarScript(): Promise<string> {
  script ??= load();
  return script;
}

/**
 * The package hands the script out over a route of Fastify and in no other way. To load all that such a route needs
 * takes half a second, so the script is read where it stands: as one string in the package's only module.
 */
async function load(): Promise<string> {
  const path = fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'));
  const [, literal] =
    /^var standalone_default = (".*");$/m.exec(await readFile(path, 'utf8')) ?? [];
  if (literal === undefined) throw new Error(`there is no script in ${path}`);
  return (
    (runInThisContext(literal) as string)
      .replace(/\n\/\/# sourceMappingURL=.*$/, '')
      // It would describe as “Integer numbers.” each integer of which a document says no more.
      .replace('_default:`Integer numbers.`', '_default:``')
  );
}
