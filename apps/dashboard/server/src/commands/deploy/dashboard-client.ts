import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '@petstore/service/user-error.ts';
import type { Installation } from '../../accounts/account.ts';
import type { BuildInput } from '../../deploys/artifact.ts';
import type { BranchPreview } from '../../deploys/branch-preview.ts';
import type { CommitQuery } from '../../deploys/commit/read-commit.ts';
import type { Deploy, DeployChanges, LogLine } from '../../deploys/deploy.ts';
import type { ChangeException } from '../../deploys/exceptions/change-exception.ts';
import type { SiteVersion } from '../../deploys/versions/site-version.ts';
import type { Project } from '../../projects/project.ts';
import type { ErrorBody, Page } from '../../schema-types.ts';
import type { SiteAccess, SiteAccessChange } from '../../site-access/site-access.ts';

/** All in milliseconds. */
const TIMEOUTS = {
  /** For a response, and for a silent log: a log has a comment every 15 seconds. */
  silenceMs: 60_000,
  /** Waits before each reconnection to a log whose stream broke. After the last one the command fails. */
  reconnectWaitsMs: [200, 1_000, 3_000, 6_000] as readonly number[],
};

/** The slowest upload that is waited for, in bytes per millisecond. */
const SLOWEST_UPLOAD = 50;

interface QueueOptions {
  readonly activate: boolean;
  readonly branch?: string;
  readonly version?: string;
  readonly strict?: boolean;
  readonly message?: string;
  readonly allowBreaking?: string;
}

export type UploadLimits = Installation['uploadLimits'];

/** The part of the dashboard's REST interface that deploys need. Its errors are UserErrors. */
export class DashboardClient {
  readonly origin: string;
  readonly #token: string;
  readonly #timeouts: typeof TIMEOUTS;

  constructor(url: string, token: string, timeouts = TIMEOUTS) {
    this.origin = new URL(url).origin;
    this.#token = token;
    this.#timeouts = timeouts;
  }

  /** `branch`: the one that it is a preview of. `version`: that of the site to which it belongs. `strict`: it fails where there are warnings. `allowBreaking`: why it may break clients. `commit`: the one that it is made of. */
  async queueDeploy(
    slug: string,
    upload: BuildInput,
    { activate, branch, version, strict = false, message, allowBreaking }: QueueOptions,
    commit: CommitQuery = {},
  ): Promise<Deploy> {
    const { document } = upload;
    const query = new URLSearchParams({
      // A dashboard that does not know branches must not put it live either.
      activate: `${activate && branch === undefined}`,
      strict: `${strict}`,
      ...(branch !== undefined && { branch }),
      ...(version !== undefined && { version }),
      ...(document !== undefined && { document }),
      ...(message !== undefined && { message }),
      ...(allowBreaking !== undefined && { 'allow-breaking': allowBreaking }),
      ...commit,
    });
    const path = `${deploysOf(slug)}?${query}`;
    const init = {
      method: 'POST',
      headers: {
        'content-type': TYPES[upload.kind],
        'x-file-name': encodeURIComponent(upload.name),
      },
      body: upload.bytes as Uint8Array<ArrayBuffer>,
    };
    const timeoutMs = this.#timeouts.silenceMs + upload.bytes.length / SLOWEST_UPLOAD;
    return this.#request(path, init, readJson<Deploy>, timeoutMs).catch(this.#noProject(slug));
  }

  /** The previews of a project's branches. */
  async listPreviews(slug: string): Promise<readonly BranchPreview[]> {
    const path = `${projectOf(slug)}/previews`;
    const page = await this.#request(path, {}, readJson<Page<BranchPreview>>).catch(
      this.#noProject(slug),
    );
    return page.items;
  }

  async deletePreview(slug: string, branch: string): Promise<void> {
    const path = `${projectOf(slug)}/previews/${encodeURIComponent(branch)}`;
    await this.#request(path, { method: 'DELETE' }, (response) => response.arrayBuffer());
  }

  /** The versions of a project's site. */
  async listVersions(slug: string): Promise<readonly SiteVersion[]> {
    const path = `${projectOf(slug)}/versions`;
    const page = await this.#request(path, {}, readJson<Page<SiteVersion>>).catch(
      this.#noProject(slug),
    );
    return page.items;
  }

  /** Makes a version the default one, or no longer. */
  async changeDefault(slug: string, version: string, isDefault: boolean): Promise<void> {
    const path = `${projectOf(slug)}/versions/${encodeURIComponent(version)}`;
    await this.#send('PATCH', path, { default: isDefault });
  }

  async retireVersion(slug: string, version: string): Promise<void> {
    const path = `${projectOf(slug)}/versions/${encodeURIComponent(version)}`;
    await this.#request(path, { method: 'DELETE' }, (response) => response.arrayBuffer());
  }

  /** Who may read the sites of a project. */
  readAccess(slug: string): Promise<SiteAccess> {
    return this.#request(`${projectOf(slug)}/access`, {}, readJson<SiteAccess>).catch(
      this.#noProject(slug),
    );
  }

  async changeAccess(slug: string, change: SiteAccessChange): Promise<void> {
    await this.#send('PATCH', `${projectOf(slug)}/access`, change);
  }

  async setSitePassword(slug: string, password: string): Promise<void> {
    await this.#send('PUT', `${projectOf(slug)}/access/password`, { password });
  }

  async removeSitePassword(slug: string): Promise<void> {
    const path = `${projectOf(slug)}/access/password`;
    await this.#request(path, { method: 'DELETE' }, (response) => response.arrayBuffer());
  }

  async endSiteSessions(slug: string): Promise<void> {
    const path = `${projectOf(slug)}/access/sessions`;
    await this.#request(path, { method: 'DELETE' }, (response) => response.arrayBuffer());
  }

  async #send(method: string, path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const init = { method, headers, body: JSON.stringify(body) };
    await this.#request(path, init, (response) => response.arrayBuffer());
  }

  /** Throws the UserError for a project that is not found. */
  #noProject(slug: string): (error: unknown) => never {
    return (error) => {
      // Whose slug is another one by now is told by the dashboard itself.
      const isUnknown = error instanceof RefusedError && error.message.startsWith(NO_PROJECT);
      if (!isUnknown) throw error;
      throw new UserError(
        `${this.origin} has no project ${slug} that this token may see. Check DASHBOARD_URL, and that the project was created there.`,
      );
    };
  }

  /** The page of a deploy. */
  pageOf(slug: string, id: string): string {
    return `${this.origin}/projects/${encodeURIComponent(slug)}/deploys/${id}`;
  }

  /** What a deploy may bring. */
  async readUploadLimits(): Promise<UploadLimits> {
    const installation = await this.#request(
      '/api/installation',
      {},
      readJson<Partial<Installation>>,
    );
    if (installation.uploadLimits) return installation.uploadLimits;
    throw new UserError(
      `The dashboard at ${this.origin} has version ${installation.version ?? 'unknown'}, which this command is too new for. Use the command of that version, or update the dashboard.`,
    );
  }

  readProject(slug: string): Promise<Project> {
    return this.#request(projectOf(slug), {}, readJson<Project>);
  }

  /** The changes that the project's owners allow. */
  async listExceptions(slug: string): Promise<readonly ChangeException[]> {
    const path = `${projectOf(slug)}/change-exceptions`;
    return (await this.#request(path, {}, readJson<Page<ChangeException>>)).items;
  }

  /** What a deploy changes in the API. */
  readChanges(slug: string, id: string): Promise<DeployChanges> {
    return this.#request(`${deploysOf(slug)}/${id}/changes`, {}, readJson<DeployChanges>);
  }

  /** Passes on the lines of a deploy's log as they arrive. Resolves with the deploy when it has ended. */
  async followDeploy(slug: string, id: string, onLine: (line: LogLine) => void): Promise<Deploy> {
    const waits = this.#timeouts.reconnectWaitsMs;
    let seq = 0;
    let failures = 0;
    const follow = async (response: Response, onData: () => void) => {
      if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
        throw notADashboard(response);
      for await (const { event, data } of readEvents(response, onData)) {
        if (event === 'end') return parse<Deploy>(data, response);
        if (event !== 'log') continue;
        const line = parse<LogLine>(data, response);
        if (!(line.seq > seq)) continue;
        failures = 0;
        seq = line.seq;
        onLine(line);
      }
      throw new UserError(
        `${this.origin} closed the log before the deploy ended. See how it goes on: ${this.pageOf(slug, id)}`,
      );
    };
    for (;;) {
      try {
        const headers = { accept: 'text/event-stream', 'last-event-id': `${seq}` };
        return await this.#request(`${deploysOf(slug)}/${id}/log`, { headers }, follow);
      } catch (error) {
        // A restarted dashboard goes on building. A refused request stays refused.
        const wait = error instanceof RefusedError ? undefined : waits[failures++];
        if (wait === undefined) throw error;
        await sleep(wait);
      }
    }
  }

  /**
   * Sends a request and reads the response with `read`. Aborts it after `timeoutMs`, counted anew from each call of
   * `onData`.
   */
  async #request<T>(
    path: string,
    init: RequestInit,
    read: (response: Response, onData: () => void) => Promise<T>,
    timeoutMs = this.#timeouts.silenceMs,
  ): Promise<T> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await fetch(this.origin + path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.#token}` },
        // The document and the token must not go to another address.
        redirect: 'manual',
        signal: controller.signal,
      });
      if (!response.ok) throw await refusal(response);
      return await read(response, () => timer.refresh());
    } catch (error) {
      if (error instanceof UserError) throw error;
      if (controller.signal.aborted) {
        throw new UserError(
          `${this.origin} sent nothing for ${Math.round(timeoutMs / 1_000)} seconds. Check DASHBOARD_URL, and that the dashboard runs.`,
        );
      }
      const { cause = error } = error as Error;
      const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
      throw new UserError(
        `The dashboard at ${this.origin} cannot be reached (${why}). Check DASHBOARD_URL, and that the dashboard runs.`,
      );
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }
}

async function readJson<T>(response: Response): Promise<T> {
  return parse<T>(await response.text(), response);
}

function parse<T>(text: string, response: Response): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw notADashboard(response);
  }
}

/** How a dashboard's message begins where the token may see no project of this slug. */
const NO_PROJECT = 'There is no such project';

async function refusal(response: Response): Promise<UserError> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const asked = new URL(response.url);
    const location = headers.get('location') ?? '';
    const target = URL.parse(location, asked);
    const [before, now] = [slugIn(asked), target?.origin === asked.origin && slugIn(target)];
    if (before && now && now !== before) {
      return new RefusedError(
        `There is no project ${before} any more: it is ${now} now. Use --project ${now}.`,
      );
    }
    return new RefusedError(
      `${asked.origin} redirects to ${location}, and redirects are not followed. Set DASHBOARD_URL to the dashboard's own address.`,
    );
  }
  const text = await response.text();
  const { message } = await Promise.resolve()
    .then(() => JSON.parse(text) as ErrorBody)
    .catch(() => notADashboard(response));
  return status >= 500 ? new UserError(message) : new RefusedError(message);
}

function notADashboard({ url, status }: Response): RefusedError {
  return new RefusedError(
    `${new URL(url).origin} responded with ${status}, but not as a dashboard does. Check DASHBOARD_URL.`,
  );
}

const TYPES = {
  document: 'application/octet-stream',
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
} as const satisfies Record<BuildInput['kind'], string>;

/** The dashboard refused the request. A retry does not help. */
class RefusedError extends UserError {}

/** The slug of the project that an address of the REST interface is about; undefined: none. */
function slugIn({ pathname }: URL): string | undefined {
  return /^\/api\/projects\/([a-z0-9-]+)/.exec(pathname)?.[1];
}

function projectOf(slug: string): string {
  return `/api/projects/${encodeURIComponent(slug)}`;
}

function deploysOf(slug: string): string {
  return `${projectOf(slug)}/deploys`;
}

/** An event of a stream of server-sent events (WHATWG HTML, section 9.2), as far as the dashboard uses them. */
interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** The server-sent events of a response, as they arrive. `onData` is called whenever bytes arrive, comments included. */
async function* readEvents(response: Response, onData: () => void): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    onData();
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.replace(/:.*$/s, ''), line.replace(/^[^:]*: ?/, '')]),
      );
      const data = fields.get('data');
      if (data !== undefined) yield { event: fields.get('event') ?? 'message', data };
    }
  }
}
