import { spawnSync } from 'node:child_process';
import { runClient } from './processes.ts';

/** Whether Debian's nghttp2-client is installed. */
export function hasH2load(): boolean {
  return spawnSync('h2load', ['--version']).error === undefined;
}

/** Asks over HTTP/2 for some seconds; how many requests there were. Rejects where one failed. */
export async function h2load(
  url: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<{ requests: number }> {
  const args = ['--clients', String(connections), '--max-concurrent-streams', '10'];
  const { out, err } = await runClient('h2load', [...args, '--duration', String(seconds), url]);
  const found = /(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(out);
  if (!found) throw new Error(`h2load failed: ${err}${out}`);
  const [requests = 0, ...wrong] = found.slice(1).map(Number);
  if (wrong.some((count) => count > 0)) throw new Error(found[0]);
  return { requests };
}
