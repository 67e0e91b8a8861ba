import { join } from 'node:path';
import { before } from 'node:test';
import {
  type Browser,
  type BrowserOptions,
  type Page,
  screenshot as savePicture,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { startProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { shareCompressionsWith } from './compressions.ts';
import { noteMessages } from './said.ts';

// The dashboard as people have it: the program itself, and browsers.

/** Where pictures of pages go, for people to look at; ignored by git. */
const SCREENSHOTS = join(ROOT, 'apps/dashboard/test/screenshots');

const PROGRAM = join(ROOT, 'apps/dashboard/bin/dashboard.js');

export const PASSWORD = 'correct horse battery';

const START_TIMEOUT_MS = 180_000;

/** An installation with a database of its own, and a browser. */
export interface Installation {
  readonly origin: string;
  readonly browser: Browser;
  /** The address of a project's site, without the last slash. */
  site(slug: string): string;
  /** A browser of someone new, with what its pages complain of. */
  visitor(): Promise<Visitor>;
  /** The same with a new account, signed in; the first owns the installation. */
  member(): Promise<Visitor & { readonly email: string }>;
}

export interface Visitor {
  readonly page: Page;
  /** Errors of scripts and of the content security policy. */
  readonly complaints: string[];
  /** Asks the API with the page's cookies, for what a test is not about. Rejects when it refuses. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

/**
 * One installation for all tests of a file, each with people and projects of its own: starting one costs
 * seconds. Anyone may sign up, unless `env` says otherwise, which may itself have to be begun, and before
 * the browser.
 */
export function sharedInstallation(
  env: Record<string, string> | (() => Promise<Record<string, string>>) = OPEN,
  browserOptions: () => BrowserOptions = () => ({}),
): () => Installation {
  let started: Installation | undefined;
  before(async () => {
    const settings = typeof env === 'function' ? await env() : env;
    started = await startInstallation(settings, browserOptions());
  });
  return () => {
    if (!started) throw new Error('the installation is there in tests alone');
    return started;
  };
}

const OPEN = { DASHBOARD_SIGN_UP: 'open' };

async function startInstallation(
  env: Record<string, string>,
  browserOptions: BrowserOptions,
): Promise<Installation> {
  const folder = await temporaryFolder(FILE);
  const program = startProgram(FILE, process.execPath, [PROGRAM, 'serve', '--json'], folder, {
    DASHBOARD_PORT: '0',
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
    DASHBOARD_DATA_DIR: folder,
    ...env,
  });
  const { url: origin, sites } = JSON.parse(await firstLine(program));
  shareCompressionsWith(folder);
  const browser = await startBrowser(FILE, browserOptions);

  let members = 0;
  const visitor = async (): Promise<Visitor> => {
    // Without what moves, there is nothing to wait for.
    const context = await browser.newContext({
      ...{ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' },
    });
    const page = await context.newPage();
    await noteMessages(page);
    const { complaints } = watch(page);
    return { page, complaints, call: caller(page, origin) };
  };
  return {
    origin,
    browser,
    site: (slug) => sites.replace('{slug}', slug),
    visitor,
    async member() {
      members += 1;
      const email = `ada-${members}@example.com`;
      const someone = await visitor();
      await someone.call('POST', '/sign-up', { email, password: PASSWORD, name: 'Ada Lovelace' });
      await someone.call('POST', '/session', { email, password: PASSWORD });
      return { ...someone, email };
    },
  };
}

/** What the program says once it is ready. */
async function firstLine({ child, output }: ReturnType<typeof startProgram>): Promise<string> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!output.stdout.includes('\n')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`the dashboard did not start: ${output.stdout}${output.stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return output.stdout.slice(0, output.stdout.indexOf('\n'));
}

function caller(page: Page, origin: string): Visitor['call'] {
  return async <T>(method: string, path: string, body?: unknown) => {
    const isFile = body instanceof Uint8Array;
    const response = await page.request.fetch(`${origin}/api${path}`, {
      method,
      headers: { origin, ...(isFile && { 'content-type': 'application/octet-stream' }) },
      ...(body !== undefined && { data: isFile ? Buffer.from(body) : body }),
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Complaints that are none: the browser's own lines about answers of 401 and other refusals. */
export function withoutRefusals(complaints: readonly string[]): string[] {
  return complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'));
}

export function screenshot(
  page: Page,
  name: string,
  { fullPage = true }: { readonly fullPage?: boolean } = {},
): Promise<void> {
  return savePicture(page, join(SCREENSHOTS, `${name}.png`), { fullPage });
}
