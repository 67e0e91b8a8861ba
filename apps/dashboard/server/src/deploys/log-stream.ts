import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@petstore/http/errors.ts';
import type { Deps } from '../deps.ts';
import { instant } from '../schema-types.ts';
import { type LogRow, readLog } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { LogLine } from './deploy.ts';
import { readDeploy } from './deploys.ts';
import { presentDeployDetails } from './present-deploy.ts';

/** How often the store is polled for new lines, which another process may write. */
const POLL_MS = 250;

/** How often the right to read is checked while there is nothing to send. */
const RIGHTS_MS = 500;

/** An empty comment is sent this often, so that proxies do not close the stream. */
const HEARTBEAT_MS = 15_000;

export function presentLine({ seq, at, level, message }: LogRow): LogLine {
  return { seq, at: instant(at), level, message };
}

interface LogStream {
  readonly project: ProjectRow;
  readonly deployId: string;
  /** The number of the line after which to begin. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Whether the reader still has the right to read. */
  readonly mayRead: () => Promise<boolean>;
}

/**
 * A deploy's log as server-sent events, after the line `after`: `log` for each line, `deploy` for each state, and `end`
 * when the deploy has ended. Ends with the signal, and when the right to read is lost.
 */
export async function* streamLog(
  { db, addresses }: Pick<Deps, 'db' | 'addresses'>,
  { project, deployId, after, signal, mayRead }: LogStream,
): AsyncGenerator<string> {
  let seq = after;
  let state = '';
  let beatAt = performance.now();
  let allowedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    // The deploy is read before its lines, so that an ended deploy has all of them.
    const current = await findCurrent(db, project, deployId);
    if (!current) return;
    const rows = await readLog(db, deployId, seq);
    const deploy = presentDeployDetails(current.deploy, current.project, addresses());
    const isNews = rows.length > 0 || deploy.state !== state;
    if (isNews || performance.now() - allowedAt > RIGHTS_MS) {
      if (!(await mayRead())) return;
      allowedAt = performance.now();
    }
    for (const row of rows) {
      seq = row.seq;
      yield event('log', presentLine(row), `${seq}`);
    }
    if (deploy.state === 'succeeded' || deploy.state === 'failed') {
      yield event('end', deploy);
      return;
    }
    if (deploy.state !== state) {
      state = deploy.state;
      yield event('deploy', deploy);
    }
    if (performance.now() - beatAt > HEARTBEAT_MS) {
      beatAt = performance.now();
      yield ':\n\n';
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** undefined when the deploy is gone with its project. */
async function findCurrent(db: Deps['db'], project: ProjectRow, deployId: string) {
  try {
    return await readDeploy(db, project, deployId);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** WHATWG HTML, section 9.2: JSON has no line breaks, so its data is one line. */
function event(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
