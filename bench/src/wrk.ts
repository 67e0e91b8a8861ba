import { BENCH } from './paths.ts';
import { runClient } from './processes.ts';

const LOADS = `${BENCH}loads`;

/** So long that a slow answer counts as slow, and only one that never comes as an error. */
const TIMEOUT_SECONDS = 60;

export interface WrkRun {
  readonly script: 'list' | 'get' | 'create' | 'mix' | 'hosts';
  readonly url: string;
  /** A key of the API, where it takes one. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  /** Whole seconds. */
  readonly seconds: number;
  /** What the script takes. */
  readonly args?: readonly string[];
}

/** Percentiles are in microseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface WrkResult extends Latency {
  readonly requests: number;
  readonly durationUs: number;
  readonly bytes: number;
  /** Creates among the requests, of a mix. */
  readonly creates?: number;
  /** Latency of the lists alone, of a mix that was timed. */
  readonly reads?: Latency;
}

/** One load from one thread. Rejects when a single request failed: such a run says nothing. */
export async function wrk(run: WrkRun): Promise<WrkResult> {
  const { script, url, key, headers = {}, connections, seconds, args = [] } = run;
  const sent = key === undefined ? headers : { ...headers, Authorization: `Bearer ${key}` };
  const { out, err } = await runClient(
    'wrk',
    [
      ...['--threads', '1', '--connections', String(connections)],
      ...['--duration', `${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`],
      ...['--script', `${LOADS}/${script}.lua`],
      ...Object.entries(sent).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...[url, '--', ...args],
    ],
    { LUA_PATH: `${LOADS}/?.lua` },
  );
  const printed = /^RESULT (.*)$/m.exec(out)?.[1];
  if (printed === undefined) throw new Error(`wrk failed: ${err}${out}`);
  const { errors, ...result }: WrkResult & { errors: Record<string, number> } = JSON.parse(printed);
  const failed = Object.entries(errors).filter(([, count]) => count > 0);
  if (failed.length === 0) return result;
  throw new Error(failed.map(([kind, count]) => `${count} ${kind} errors`).join(', '));
}
