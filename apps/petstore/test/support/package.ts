import { join } from 'node:path';
import { runProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';

/** What the machine's npm may need to reach its registry. Not `npm_…`: that is of the run of tests. */
const REGISTRY_SETTINGS = /^(NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY|NPM_CONFIG_.*)$/;

const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/;

/** Packs the service into a folder with a command of npm, and resolves with the tarball's path. */
export async function pack(folder: string, command: readonly string[]): Promise<string> {
  const args = [...command, '--pack-destination', folder, '--json'];
  const { code, stdout, stderr } = await npm(ROOT, args);
  if (code !== 0) throw new Error(`npm ${command.join(' ')} failed: ${stderr}`);
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (!packed) throw new Error(`npm packed nothing: ${stdout}`);
  return join(folder, packed.filename);
}

/** Unpacks a tarball in a folder; resolves with the folder of the package. */
export async function unpack(tarball: string, folder: string): Promise<string> {
  const { code, stderr } = await runProgram('tar', ['-xf', tarball], folder, {});
  if (code !== 0) throw new Error(`tar failed: ${stderr}`);
  return join(folder, 'package');
}

/**
 * Installs a tarball in a folder, as whoever uses it does. Resolves with a reason where no registry can
 * be reached and npm's cache lacks a package.
 */
export async function install(tarball: string, folder: string): Promise<string | undefined> {
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, stderr } = await npm(folder, ['install', ...options, tarball]);
  if (code === 0) return undefined;
  const [cause] = UNREACHABLE.exec(stderr) ?? [];
  if (cause) return `the registry of packages cannot be reached (${cause})`;
  throw new Error(`npm install failed: ${stderr}`);
}

function npm(cwd: string, args: readonly string[]) {
  const settings = Object.entries(process.env).filter(([name]) => REGISTRY_SETTINGS.test(name));
  const env = Object.fromEntries(settings) as Record<string, string>;
  return runProgram('npm', args, cwd, env);
}
