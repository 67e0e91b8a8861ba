import { spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { BenchError } from './failure.ts';
import { start } from './processes.ts';

/** Whether Debian's nghttp2-client is installed. */
export function hasH2load(): boolean {
  return spawnSync('h2load', ['--version']).error === undefined;
}

/** Asks over HTTP/2 for some seconds; how many requests there were. Throws BenchError where one failed. */
export async function h2load(
  url: string,
  {
    connections,
    seconds,
    core,
  }: { connections: number; seconds: number; core: number | undefined },
): Promise<{ requests: number }> {
  const args = ['--clients', String(connections), '--max-concurrent-streams', '10'];
  const child = start('h2load', [...args, '--duration', String(seconds), url], {}, core);
  if (!child.stdout || !child.stderr) throw new Error('h2load has no output');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const found = /(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout/.exec(out);
  if (!found) throw new Error(`h2load failed: ${err}${out}`);
  const [requests = 0, ...wrong] = found.slice(1).map(Number);
  if (wrong.some((count) => count > 0)) throw new BenchError(`The run is invalid: ${found[0]}.`);
  return { requests };
}
