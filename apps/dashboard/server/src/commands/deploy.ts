import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { formatBytes } from '../text.ts';
import { DashboardClient } from './deploy/dashboard-client.ts';
import { readUploadFile } from './deploy/read-upload-file.ts';
import { subcommand } from './subcommand.ts';

const DEFAULT_URL = 'http://127.0.0.1:8081';

interface Options {
  readonly project: string;
  readonly activate: boolean;
  readonly json?: boolean;
}

export function deployCommand(): Command {
  return subcommand('deploy')
    .description(
      'Deploy an OpenAPI document, or a folder or archive with docs.yaml, and wait for its end.',
    )
    .argument('<file>', 'document (JSON or YAML), archive (.tar.gz or .zip), or folder')
    .requiredOption('--project <slug>', 'the project to deploy to (required)')
    .option('--no-activate', 'build it without putting it live')
    .option('--json', 'print the finished deploy as JSON, and nothing else, for scripts')
    .action(async (file: string, options: Options) => {
      const client = clientOfEnvironment(process.env);
      const say = options.json ? () => {} : (line: string) => process.stderr.write(`${line}\n`);
      const upload = await readUploadFile(file);
      say(`Uploading ${upload.name} (${formatBytes(upload.bytes.length)}) to ${client.origin} …`);
      const queued = await client.queueDeploy(options.project, upload, options.activate);
      const deploy = await client.followDeploy(options.project, queued.id, ({ level, message }) =>
        say(level === 'info' ? `  ${message}` : `  ${level}: ${message}`),
      );
      say(`  ${client.pageOf(options.project, deploy.id)}`);
      if (options.json) await print(JSON.stringify(deploy));
      if (deploy.state === 'failed') {
        process.exitCode = 1;
        if (!options.json)
          for (const problem of deploy.errors)
            process.stderr.write(`${locate(upload.name, problem)}\n`);
        return;
      }
      if (options.json) return;
      const project = await client.readProject(options.project);
      await print(deploy.live ? `Live: ${project.url}` : `Not live. Preview: ${deploy.url}`);
    });
}

/** `openapi.yaml:12: message (/paths/~1pets)`, as compilers have it, so that editors find the place. */
function locate(
  name: string,
  { message, path, line }: { message: string; path: string; line: number | null },
): string {
  const isPointer = path === '' || path.startsWith('/');
  const file = isPointer ? name : path;
  return `${file}${line === null ? '' : `:${line}`}: ${message}${isPointer && path !== '' ? ` (${path})` : ''}`;
}

function clientOfEnvironment(env: NodeJS.ProcessEnv): DashboardClient {
  const { DASHBOARD_URL: url = DEFAULT_URL, DASHBOARD_TOKEN: token } = env;
  if (!token) {
    throw new UserError(
      'DASHBOARD_TOKEN must be an API token. Make one on the account page of the dashboard, or with `dashboard tokens create`.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UserError(
      'DASHBOARD_TOKEN is no API token: it has characters that none has. A token begins with dash_; it was shown once, when it was made.',
    );
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError(
      `DASHBOARD_URL must be the address of the dashboard, such as ${DEFAULT_URL}; got ${JSON.stringify(url)}.`,
    );
  }
  return new DashboardClient(url, token);
}
