import assert from 'node:assert/strict';
import { request } from 'node:http';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { anyPort } from '@petstore/lab/ports.ts';
import { coverNoPrograms, type Program, startProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

coverNoPrograms();

export interface Shown {
  readonly api: string;
  readonly docs: string;
  readonly dashboard: string;
}

export interface Page {
  readonly status: number | undefined;
  readonly text: string;
}

/** What the banner shows, once it does. */
export async function bannerOf({ child, output }: Program): Promise<Shown> {
  const found = (label: string) =>
    new RegExp(`${label} +(http:\\S+)`).exec(output.stdout)?.[1] ?? '';
  const shown = () => ({ api: found('API'), docs: found('Docs'), dashboard: found('Dashboard') });
  await timeUntil(async () => {
    assert.equal(child.exitCode, null, `no banner: ${output.stdout}${output.stderr}`);
    return !Object.values(shown()).includes('') && output.stdout.includes('Try it');
  });
  return shown();
}

/** A page of a hosted site: browsers resolve names under localhost themselves, fetch does not. */
export function getFromSite(site: string, headers = {}): Promise<Page> {
  const { host, port, pathname } = new URL(site);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: pathname,
      headers: { host, ...headers },
    });
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    outgoing.end();
  });
}

/** Runs `npm start` with its data in a folder and on ports of its own. */
export async function start(
  t: TestContext,
  folder: string,
  env: Record<string, string> = {},
): Promise<Program> {
  return startProgram(t, 'npm', ['start'], ROOT, { ...(await settings(folder)), ...env });
}

/** The same without npm around it, so that it can be killed itself. */
export async function startAlone(t: TestContext, folder: string): Promise<Program> {
  return startProgram(t, process.execPath, ['start/start.ts'], ROOT, {
    ...(await settings(folder)),
    PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  });
}

/** With ports that nobody else is given: who asks there when the services have ended shall find nobody. */
export async function settings(folder: string): Promise<Record<string, string>> {
  const port = async () => `${await anyPort([])}`;
  return {
    PETSTORE_PORT: await port(),
    PETSTORE_DATABASE_URL: `sqlite:${folder}/petstore.db`,
    DASHBOARD_PORT: await port(),
    DASHBOARD_DATA_DIR: folder,
    EDGE_HTTP_PORT: await port(),
    EDGE_HTTPS_PORT: await port(),
  };
}
