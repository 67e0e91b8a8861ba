import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

let script: Promise<string> | undefined;

/**
 * The program that draws the reference in the browser (4.3 MB), from the package that serves it. It is loaded with the
 * first request for it: most processes never get one.
 */
export function scalarScript(): Promise<string> {
  script ??= load();
  return script;
}

/**
 * The package offers the script over a route of Fastify only. To load all that such a route needs takes half a second,
 * so the script is read out of the package's only module, where it is one string.
 */
async function load(): Promise<string> {
  const path = fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'));
  const [, literal] =
    /^var standalone_default = (".*");$/m.exec(await readFile(path, 'utf8')) ?? [];
  if (literal === undefined) throw new Error(`there is no script in ${path}`);
  return (
    (runInThisContext(literal) as string)
      .replace(/\n\/\/# sourceMappingURL=.*$/, '')
      // Without this, it would describe each plain integer as “Integer numbers.”.
      .replace('_default:`Integer numbers.`', '_default:``')
  );
}
