import { UserError } from '@petstore/service/user-error.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { deployLimits } from '../config.ts';
import { startDevServer } from './dev/dev-server.ts';
import { startDev } from './dev/rebuilding.ts';
import { subcommand } from './subcommand.ts';

/** The port where none is asked for, and how many behind it are tried. */
const FIRST_PORT = 8090;
const TRIED_PORTS = 20;

interface Options {
  readonly port?: number;
  readonly strict?: boolean;
}

export function devCommand(): Command {
  return subcommand('dev')
    .description(
      'Serve the site of a folder or document on this machine, and build it again at each change.',
    )
    .argument('<folder>', 'folder with docs.yaml or an OpenAPI document, or a document')
    .option(
      '--port <number>',
      `port on 127.0.0.1; 0 picks a free one (${FIRST_PORT}, or the next that is free)`,
      readPort,
    )
    .option('--strict', 'take warnings for errors, as a strict deploy does')
    .action(async (path: string, { port, strict = false }: Options) => {
      const say = (line: string) => process.stdout.write(`${line}\n`);
      const server = await listen(port);
      const dev = await startDev(path, {
        ...{ server, strict, say, limits: deployLimits(process.env) },
      }).catch(async (error) => {
        await server.close();
        throw error;
      });
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => {
          dev.close();
          // At once: nothing is under way that anybody would miss.
          process.exit(0);
        });
      await dev.isBuilt;
      say(`\n  ${server.origin}\n\n  Ctrl-C ends it.`);
    });
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

/** Listens on a port, or on the first one that is free. Rejects with UserError. */
async function listen(wanted: number | undefined) {
  const first = wanted ?? FIRST_PORT;
  const last = wanted === undefined ? first + TRIED_PORTS : first;
  for (let port = first; ; port++) {
    try {
      return await startDevServer(port);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port < last) continue;
      throw explained(code, port) ?? error;
    }
  }
}

function explained(code: string | undefined, port: number): UserError | undefined {
  if (code === 'EADDRINUSE')
    return new UserError(
      `Port ${port} is in use by another program. Stop it, or choose another one: --port ${port + 1}, or --port 0 for a free one.`,
    );
  if (code === 'EACCES')
    return new UserError(
      `This user may not listen on port ${port}. Choose one above 1023 with --port.`,
    );
  return undefined;
}
