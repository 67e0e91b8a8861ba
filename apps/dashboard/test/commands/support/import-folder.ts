import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { CreatedToken } from '../../../server/src/accounts/account.ts';
import { dashboard, getFromEdge } from '../../support/dashboard-program.ts';
import { json, type Service, startService } from '../../support/service.ts';

/** A picture: what matters is that it is there. */
export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>';

/** A font without tables: the header of 48 bytes, which has its length. */
export const WOFF2 = `wOF2${'\0'.repeat(7)}0${'\0'.repeat(36)}`;

/** A document with one operation. */
export const OPENAPI = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { operationId: 'listPets', summary: 'List pets', responses: {} } } },
});

export interface ImportFolder {
  /** On this machine: `docs` in the current folder of the commands. */
  readonly path: string;
  /** `dashboard import … docs` */
  importFrom(product: string, ...args: string[]): ReturnType<typeof dashboard>;
  read(file: string): Promise<string>;
}

/** A folder `docs` with these texts, by path. */
export async function importFolder(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<ImportFolder> {
  const cwd = await temporaryFolder(t);
  const path = join(cwd, 'docs');
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return {
    path,
    importFrom: (product, ...args) =>
      dashboard(cwd, ['import', '--from', product, ...args, 'docs']),
    read: (file) => readFile(join(path, file), 'utf8'),
  };
}

interface DeployedSite {
  /** What the deploy said: its warnings above all. */
  readonly log: string;
  get(path: string): Promise<{ status: number; text: string; location: string | undefined }>;
}

/** Deploys a folder with `dashboard deploy` to a dashboard of its own, which has to succeed. */
export async function deployed(t: TestContext, folder: string): Promise<DeployedSite> {
  const service: Service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await json(await owner.call('POST', '/api/projects', { name: 'Docs', slug: 'moved' }), 201);
  const made = await owner.call('POST', '/api/projects/moved/tokens', { name: 'deploys' });
  const { token } = await json<CreatedToken>(made, 201);
  const env = { DASHBOARD_URL: service.origin, DASHBOARD_TOKEN: token };
  const args = ['deploy', '--project', 'moved', folder];
  const { code, stderr } = await dashboard(dirname(folder), args, env);
  assert.equal(code, 0, stderr);
  return {
    log: stderr,
    get: (path) => getFromEdge(service.edgePort, 'moved.docs.localhost', path),
  };
}
