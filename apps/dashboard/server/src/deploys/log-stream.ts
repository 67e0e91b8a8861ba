import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { type LogRow, readLog } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { LogLine } from './deploy.ts';
import { readDeploy } from './deploys.ts';
import { presentWholeDeploy } from './present-deploy.ts';

/** How often the store is asked for new lines: they may be another process's. */
const POLL_MS = 250;

/** An empty comment this often keeps proxies from closing the stream. */
const HEARTBEAT_MS = 15_000;

export function presentLine({ seq, at, level, message }: LogRow): LogLine {
  return { seq, at: new Date(at).toISOString(), level, message };
}

/**
 * A deploy's log as server-sent events, from behind the line `after` on: `log` for each line, `deploy`
 * for each state, and `end` when it has ended. Ends with the signal.
 */
export async function* streamLog(
  { db, addresses }: Pick<Deps, 'db' | 'addresses'>,
  project: ProjectRow,
  deployId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let seq = after;
  let state = '';
  let beatAt = performance.now();
  while (!signal.aborted) {
    // The deploy before its lines: what ended has all of them.
    const current = await readDeploy(db, project, deployId);
    for (const row of await readLog(db, deployId, seq)) {
      seq = row.seq;
      yield event('log', presentLine(row), `${seq}`);
    }
    const deploy = presentWholeDeploy(current.deploy, current.project, addresses());
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

/** WHATWG HTML, section 9.2: JSON has no line breaks, so its data is one line. */
function event(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
