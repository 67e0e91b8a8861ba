import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { print } from '@petstore/service/commands.ts';
import { formatBytes } from '@petstore/service/text.ts';
import type { Command } from 'commander';
import type { Deploy } from '../deploys/deploy.ts';
import { type LocalUpload, readLocalUpload } from '../deploys/local-files/local-upload.ts';
import { checkVersion } from '../deploys/versions/version-name.ts';
import { clientOfEnvironment } from './deploy/client-of-environment.ts';
import type { UploadPlace } from './deploy/commit-of-git.ts';
import { type CommitOptions, commitOfUpload } from './deploy/commit-of-upload.ts';
import type { DashboardClient } from './deploy/dashboard-client.ts';
import { breakingChanges } from './deploy/tell-changes.ts';
import { subcommand } from './subcommand.ts';

interface Options extends CommitOptions {
  readonly project: string;
  readonly activate: boolean;
  readonly branch?: string;
  readonly version?: string;
  readonly strict?: boolean;
  readonly message?: string;
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
    .option('--message <text>', 'what it is about, shown wherever deploys are listed')
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
      const upload = await readLocalUpload(file, await client.readUploadLimits());
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
async function placeOf(path: string, upload: LocalUpload): Promise<UploadPlace | undefined> {
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
  { name, folder }: LocalUpload,
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
