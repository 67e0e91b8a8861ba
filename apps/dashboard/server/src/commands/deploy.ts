import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { print } from '@petstore/service/commands.ts';
import { count, formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { pack } from 'tar-stream';
import type { BuildInput } from '../deploys/artifact.ts';
import type { Deploy } from '../deploys/deploy.ts';
import { describeUpload } from '../deploys/upload.ts';
import { checkVersion } from '../deploys/versions/version-name.ts';
import { clientOfEnvironment } from './deploy/client-of-environment.ts';
import type { UploadPlace } from './deploy/commit-of-git.ts';
import { type CommitOptions, commitOfUpload } from './deploy/commit-of-upload.ts';
import type { DashboardClient, UploadLimits } from './deploy/dashboard-client.ts';
import { type DocumentFiles, documentFiles } from './deploy/referenced-files.ts';
import { breakingChanges } from './deploy/tell-changes.ts';
import { cannotRead, listFiles } from './folder-files.ts';
import { subcommand } from './subcommand.ts';

interface Options extends CommitOptions {
  readonly project: string;
  readonly activate: boolean;
  readonly branch?: string;
  readonly version?: string;
  readonly strict?: boolean;
  readonly allowBreaking?: string;
  readonly json?: boolean;
}

/** Nothing failed, and nothing is live: a pipeline may want to know both. */
const EXIT_HELD = 3;

export function deployCommand(): Command {
  return subcommand('deploy')
    .description(
      'Deploy an OpenAPI document with the files that it refers to, or a folder or archive with docs.yaml, and wait for its end.',
    )
    .argument('<file>', 'document (JSON or YAML), archive (.tar.gz or .zip), or folder')
    .requiredOption('--project <slug>', 'the project to deploy to (required)')
    .option('--no-activate', 'build it without putting it live')
    .option('--branch <name>', 'show it at the lasting address of this branch, and never live')
    .option('--version <name>', 'deploy it as this version of the site, below /NAME')
    .option('--strict', 'fail where there are warnings, and leave live what is live')
    .option(
      '--allow-breaking <reason>',
      'go live although it breaks clients, where the project has an owner confirm that; owners alone',
    )
    .option(
      '--commit <hash>',
      'the commit that it is made of, instead of the one that git or a CI names',
    )
    .option('--no-commit', 'say nothing of a commit')
    .option('--commit-author <name>', 'who wrote the commit')
    .option('--commit-message <text>', "the first line of the commit's message")
    .option('--commit-branch <name>', 'the branch of the commit')
    .option('--repository <address>', 'the address of the repository')
    .option(
      '--repository-folder <path>',
      'the folder of the repository that is deployed, for links to its files',
    )
    .option('--json', 'print the finished deploy as JSON, and nothing else, for scripts')
    .action(async (file: string, options: Options) => {
      const client = clientOfEnvironment(process.env);
      if (options.version !== undefined) checkVersion(options.version);
      const say = options.json ? () => {} : (line: string) => process.stderr.write(`${line}\n`);
      const upload = await readUploadFile(file, await client.readUploadLimits());
      for (const line of upload.notes) say(line);
      say(`Uploading ${upload.name} (${formatBytes(upload.bytes.length)}) to ${client.origin} …`);
      const commit = await commitOfUpload(options, process.env, await placeOf(file, upload));
      const queued = await client.queueDeploy(options.project, upload, options, commit);
      const deploy = await client.followDeploy(options.project, queued.id, ({ level, message }) => {
        // They come below with file and line.
        if (level !== 'warning') say(level === 'info' ? `  ${message}` : `  ${level}: ${message}`);
      });
      for (const { rule, message, ...place } of deploy.warnings)
        say(locate(upload, { message: `warning: ${message} [${rule}]`, ...place }));
      say(`  ${client.pageOf(options.project, deploy.id)}`);
      if (options.json) await print(JSON.stringify(deploy));
      else {
        const changes = await breakingChanges(client, options.project, deploy, upload.folder);
        if (changes !== '') say(changes);
      }
      if (deploy.state === 'failed') {
        process.exitCode = 1;
        // Of a strict deploy they are the warnings.
        const isTold = deploy.strict && deploy.warnings.length > 0;
        if (!isTold) for (const problem of deploy.errors) say(locate(upload, problem));
        return;
      }
      if (deploy.held) process.exitCode = EXIT_HELD;
      if (options.json) return;
      if (deploy.held) return print(`Held back. Preview: ${deploy.url}`);
      if (deploy.branchUrl) return print(`Preview of ${deploy.branch}: ${deploy.branchUrl}`);
      const url = await addressOf(client, options.project, deploy);
      await print(url === undefined ? `Not live. Preview: ${deploy.url}` : `Live: ${url}`);
    });
}

/** Where an upload is from; undefined for an archive, whose files are from anywhere. */
async function placeOf(path: string, upload: Upload): Promise<UploadPlace | undefined> {
  if ((await stat(path)).isDirectory()) return { folder: resolve(path), document: undefined };
  if (upload.document !== undefined)
    return { folder: resolve(upload.folder), document: upload.document };
  if (upload.kind !== 'document') return undefined;
  return { folder: dirname(resolve(path)), document: basename(path) };
}

/** Where readers find a deploy; undefined where they do not. */
async function addressOf(
  client: DashboardClient,
  slug: string,
  { live, version }: Deploy,
): Promise<string | undefined> {
  if (!live) return undefined;
  if (version !== null)
    return (await client.listVersions(slug)).find((one) => one.version === version)?.url;
  const project = await client.readProject(slug);
  return project.defaultVersion === null ? project.url : undefined;
}

/** `openapi.yaml:12: message (/paths/~1pets)`, as compilers print it, so that editors find the place. */
export function locate(
  { name, folder }: Upload,
  {
    message,
    path,
    line,
    file: own = '',
  }: { message: string; path: string; line: number | null; file?: string },
): string {
  const isPointer = path === '' || path.startsWith('/');
  const file = own ? join(folder, own) : isPointer ? name : path;
  return `${file}${line === null ? '' : `:${line}`}: ${message}${isPointer && path !== '' ? ` (${path})` : ''}`;
}

/** What is uploaded. */
export interface Upload extends BuildInput {
  /** The folder of the files in an archive, as a path from the current one; empty where their names are shown as they are. */
  readonly folder: string;
  /** The absolute paths of the files that a document brings along, and its own; empty for what is one file or folder. */
  readonly files: readonly string[];
  /** What to tell before it is uploaded. */
  readonly notes: readonly string[];
}

/**
 * What to upload: a folder as an archive, a document that refers to other files as an archive with them, any other file
 * as it is. Rejects with UserError.
 */
export async function readUploadFile(path: string, limits: UploadLimits): Promise<Upload> {
  const name = basename(resolve(path));
  const plain = { folder: '', files: [], notes: [] };
  if ((await stat(path).catch(cannotRead(path))).isDirectory()) {
    const bytes = await packFolder(path, limits);
    return { ...plain, kind: 'tar.gz', bytes, name: `${name}.tar.gz` };
  }
  const bytes = await readRegularFile(path, limits.bytes, ({ size }) => {
    const over = `${formatBytes(size)}, ${formatBytes(size - limits.bytes)} more than`;
    return `${path} has ${over} the dashboard takes (DASHBOARD_MAX_UPLOAD_BYTES).`;
  });
  const described = describeUpload(bytes.length, bytes, encodeURIComponent(name));
  const whole =
    described.kind === 'document' ? await documentFiles(path, bytes, limits.bytes) : undefined;
  if (!whole) return { ...plain, ...described, bytes };
  const notes = [...whole.refused, ...(whole.files.size > 1 ? [filesInWords(whole)] : [])];
  return {
    ...{ kind: 'tar.gz', bytes: await packFiles(whole.files), name: `${name}.tar.gz` },
    ...{ document: whole.document, folder: relative('', whole.root), notes },
    files: [...whole.files.keys()].map((file) => join(whole.root, file)),
  };
}

/** Of more files than these the first are named. */
const MAX_NAMED = 8;

function filesInWords({ files, document, root }: DocumentFiles): string {
  const others = [...files.keys()].filter((file) => file !== document).sort();
  const named = others.slice(0, MAX_NAMED).map((file) => join(relative('', root), file));
  const more = others.length - named.length;
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  return `Taking along ${count(others.length, 'file')} that it refers to (${formatBytes(bytes)} in all): ${named.join(', ')}${more > 0 ? `, and ${count(more, 'other')}` : ''}`;
}

/**
 * A folder as a .tar.gz, the same for the same files. Rejects with UserError for what `listFiles` refuses, for
 * unreadable files, and for too many bytes.
 */
async function packFolder(folder: string, limits: UploadLimits): Promise<Buffer> {
  const files = await listFiles(folder, limits.files);
  const tooLarge = () =>
    `${folder} has more than the ${formatBytes(limits.unpackedBytes)} that the dashboard takes (DASHBOARD_MAX_UNPACKED_BYTES). Remove what is not of the documentation, or make its largest files smaller; the operator sets the limit.`;
  let left = limits.unpackedBytes;
  const contents = new Map<string, Uint8Array>();
  for (const name of files) {
    const bytes = await readRegularFile(join(folder, name), left, tooLarge);
    left -= bytes.length;
    contents.set(name, bytes);
  }
  return packFiles(contents);
}

/** A .tar.gz, the same for the same files. */
async function packFiles(files: ReadonlyMap<string, Uint8Array>): Promise<Buffer> {
  const tar = pack();
  const packed = buffer(tar.pipe(createGzip()));
  for (const [name, bytes] of files)
    tar.entry({ name, mtime: new Date(0), mode: 0o644 }, Buffer.from(bytes));
  tar.finalize();
  return packed;
}

/**
 * The bytes of a regular file. Rejects with UserError for another kind of file (a device has no end), for more than
 * `maxBytes`, with the message `tooLarge` and before reading, and where it cannot be read.
 */
async function readRegularFile(
  path: string,
  maxBytes: number,
  tooLarge: (stats: Stats) => string,
): Promise<Buffer> {
  const stats = await stat(path).catch(cannotRead(path));
  if (!stats.isFile()) throw new UserError(`${path} is neither a regular file nor a folder.`);
  if (stats.size > maxBytes) throw new UserError(tooLarge(stats));
  return readFile(path).catch(cannotRead(path));
}
