import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '@petstore/service/user-error.ts';
import type { BuildInput } from '../../deploys/artifact.ts';
import type { Deploy, LogLine } from '../../deploys/deploy.ts';
import type { Project } from '../../projects/project.ts';
import type { ErrorBody } from '../../schema-types.ts';
import { readEvents } from './event-stream.ts';

/** Waits before the log is asked for again after its stream broke, in milliseconds. Then it is given up. */
const RECONNECT_WAITS_MS = [200, 1_000, 3_000, 6_000];

/** The dashboard's REST interface, as far as deploying needs it. Its errors are UserErrors. */
export class DashboardClient {
  readonly origin: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.origin = new URL(url).origin;
    this.#token = token;
  }

  async queueDeploy(slug: string, upload: BuildInput, activate: boolean): Promise<Deploy> {
    const path = `${deploysOf(slug)}?activate=${activate}`;
    const response = await this.#request(path, {
      method: 'POST',
      headers: {
        'content-type': TYPES[upload.kind],
        'x-file-name': encodeURIComponent(upload.name),
      },
      body: upload.bytes as Uint8Array<ArrayBuffer>,
    }).catch((error) => {
      if (!(error instanceof RefusedError) || error.status !== 404) throw error;
      throw new UserError(
        `${this.origin} has no project ${slug} that this token may see. Is DASHBOARD_URL the address of the dashboard, and was the project created there?`,
      );
    });
    return (await response.json()) as Deploy;
  }

  /** Where people look at a deploy. */
  pageOf(slug: string, id: string): string {
    return `${this.origin}/projects/${encodeURIComponent(slug)}/deploys/${id}`;
  }

  async readProject(slug: string): Promise<Project> {
    const response = await this.#request(`/api/projects/${encodeURIComponent(slug)}`);
    return (await response.json()) as Project;
  }

  /** Hands over the lines of a deploy's log as they come; the deploy when it has ended. */
  async followDeploy(slug: string, id: string, onLine: (line: LogLine) => void): Promise<Deploy> {
    let seq = 0;
    let failures = 0;
    for (;;) {
      try {
        const response = await this.#request(`${deploysOf(slug)}/${id}/log`, {
          headers: { accept: 'text/event-stream', 'last-event-id': `${seq}` },
        });
        for await (const { event, data } of readEvents(response)) {
          failures = 0;
          if (event === 'end') return JSON.parse(data) as Deploy;
          if (event !== 'log') continue;
          const line = JSON.parse(data) as LogLine;
          seq = line.seq;
          onLine(line);
        }
      } catch (error) {
        // A dashboard that is started again goes on building; what it refuses it refuses for good.
        if (error instanceof RefusedError || failures >= RECONNECT_WAITS_MS.length) throw error;
      }
      await sleep(RECONNECT_WAITS_MS[failures] ?? 0);
      failures++;
    }
  }

  async #request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.origin + path, { ...init, headers }).catch((error: Error) => {
      const { cause = error } = error;
      const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
      throw new UserError(
        `The dashboard at ${this.origin} cannot be reached (${why}). Is DASHBOARD_URL right, and does it run?`,
      );
    });
    if (response.ok) return response;
    const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
    const message =
      body?.message ?? `${this.origin} answered ${response.status}, and not as a dashboard does.`;
    throw response.status >= 500
      ? new UserError(message)
      : new RefusedError(message, response.status);
  }
}

const TYPES = {
  document: 'application/octet-stream',
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
} as const satisfies Record<BuildInput['kind'], string>;

/** The dashboard understood and said no: asking again is no use. */
class RefusedError extends UserError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

function deploysOf(slug: string): string {
  return `/api/projects/${encodeURIComponent(slug)}/deploys`;
}
