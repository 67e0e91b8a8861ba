import type { TestContext } from 'node:test';
import { type Program, ROOT, startProgram } from '@petstore/test-support/program.ts';

export interface Shown {
  readonly api: string;
  readonly docs: string;
  readonly dashboard: string;
}

/** What the banner shows, once it does. */
export async function bannerOf({ child, output }: Program): Promise<Shown> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = (label: string) => new RegExp(`${label} +(http:\\S+)`).exec(output.stdout)?.[1];
    const [api, docs, dashboard] = [found('API'), found('Docs'), found('Dashboard')];
    if (api && docs && dashboard && output.stdout.includes('Try it'))
      return { api, docs, dashboard };
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`no banner: ${output.stdout}${output.stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs `npm start` with its data in a folder and on free ports. */
export function start(t: TestContext, folder: string, env: Record<string, string> = {}): Program {
  const program = startProgram('npm', ['start'], ROOT, {
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: `sqlite:${folder}/petstore.db`,
    DASHBOARD_PORT: '0',
    DASHBOARD_DATA_DIR: folder,
    EDGE_HTTP_PORT: '0',
    ...env,
  });
  // Not SIGKILL, which npm could not pass on.
  t.after(() => program.child.kill('SIGTERM'));
  return program;
}
