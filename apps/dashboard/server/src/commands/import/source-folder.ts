import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { cannotRead, listFiles } from '../../deploys/local-files/folder-files.ts';
import { type ImportedValue, parseValue } from './imported-value.ts';

/** A documentation folder of another product. Nothing in it is run, and no link in it is followed. */
export interface SourceFolder {
  /** On this machine. */
  readonly path: string;
  /** Its files, as `dashboard deploy` would send them, with `/` between folders. */
  readonly files: ReadonlySet<string>;
  /** The text of one of its files. Rejects with UserError where that cannot be read. */
  readonly read: (file: string) => Promise<string>;
  /** The same of a file that a deploy leaves out, such as `.gitbook.yaml`; undefined where there is none. */
  readonly readHidden: (file: string) => Promise<string | undefined>;
  /** The JSON or YAML of one of its files. Rejects with UserError, with the line, for anything else. */
  readonly readValue: (file: string) => Promise<ImportedValue>;
}

/** The largest file that is read. */
const MAX_BYTES = 10_000_000;

/** Lists a folder. Rejects with UserError where that cannot be done, or for what a deploy would refuse. */
export async function openSource(path: string): Promise<SourceFolder> {
  const files = new Set(await listFiles(path, DEPLOY_LIMITS.archiveFiles));
  const read = async (file: string) => {
    const place = join(path, file);
    const { size } = await stat(place).catch(cannotRead(place));
    if (size > MAX_BYTES) throw new UserError(`${place} has more than ${formatBytes(MAX_BYTES)}.`);
    return new TextDecoder().decode(await readFile(place).catch(cannotRead(place)));
  };
  return {
    ...{ path, files, read },
    readHidden: async (file) => {
      const stats = await lstat(join(path, file)).catch(() => undefined);
      return stats?.isFile() ? read(file) : undefined;
    },
    readValue: async (file) => parseValue(await read(file), file),
  };
}

/** A path in the folder, of one written in the file `from`; undefined where it leads out of the folder. */
export function resolvePath(path: string, from: string): string | undefined {
  const start = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..' && start.pop() === undefined) return undefined;
    if (segment !== '' && segment !== '.' && segment !== '..') start.push(segment);
  }
  return start.join('/');
}

/** A file as Mintlify's configurations name it, `/logo.svg` or `./logo.svg`: from the top of the folder. */
export const fileNamed = (name: string): string => resolvePath(name, '') ?? name;

/** The file of a page that is written with or without its ending; undefined where there is none. */
export function pageFile({ files }: Pick<SourceFolder, 'files'>, path: string): string | undefined {
  const name = path.replace(/^\/+|\/+$/g, '');
  const names = /\.mdx?$/i.test(name) ? [name] : [];
  names.push(`${name}.mdx`, `${name}.md`);
  if (name !== '') names.push(`${name}/index.mdx`, `${name}/index.md`, `${name}/README.md`);
  return names.find((one) => files.has(one));
}
