import type { Contender, Load } from './contenders.ts';
import { SEEDED } from './data.ts';
import { type Latency, type WrkResult, wrk } from './wrk.ts';

export interface LoadRun {
  readonly load: Load;
  readonly contender: Pick<Contender, 'list' | 'prefix'>;
  readonly origin: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** Ids go from 1 to this; the seed of the comparison unless given. */
  readonly highestId?: number;
}

/** What a load came to. Latencies are in microseconds. */
export interface LoadResult extends Latency {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Mean size of an answer with its head, in bytes. */
  readonly answerBytes: number;
  /** Of a mix: the lists alone. */
  readonly reads?: Latency;
  /** Of a mix: which part of the requests were creates. */
  readonly createShare?: number;
}

/** Runs one load. Throws when a single request failed: such a run says nothing. */
export async function runLoad(run: LoadRun): Promise<LoadResult> {
  const { load, contender, origin, highestId = SEEDED } = run;
  const url = `${origin}${contender.list}`;
  const pets = `${contender.prefix}/pets`;
  switch (load) {
    case 'list':
    case 'list-uncached':
      return result([await wrk({ ...run, script: 'list', url })]);
    case 'get':
      return result([
        await wrk({ ...run, script: 'get', url, args: [`${pets}/`, String(highestId)] }),
      ]);
    case 'create':
      return result([await wrk({ ...run, script: 'create', url: `${origin}${pets}` })]);
    case 'mix':
      return mix(run, url);
  }
}

/** A connection in so many sends nothing but lists while a mix is on. */
const READERS = 16;

/**
 * Nine lists to one create. wrk tells latencies of one kind of request from another's in no way of
 * its own: it draws from one sequence of requests for all its connections. So a sixteenth of the
 * connections belong to a second wrk that sends lists alone, at the same time to the same server;
 * its latencies are the reads', because those lists wait in the same queues as all others. The first
 * wrk sends a create every ninth time, and not every tenth, to make up for the second's share; the
 * share of creates that came of it is part of the result. With one connection requests and answers
 * alternate, so there the script itself times each list.
 */
async function mix(run: LoadRun, url: string): Promise<LoadResult> {
  const { contender, connections, origin } = run;
  const paths = [contender.list, `${contender.prefix}/pets`];
  const common = { ...run, url: origin };
  if (connections === 1) {
    return result([await wrk({ ...common, script: 'mix', args: ['10', ...paths, 'timed'] })]);
  }
  const readers = Math.ceil(connections / READERS);
  const mixed = { ...common, script: 'mix', connections: connections - readers } as const;
  const results = await Promise.all([
    wrk({ ...mixed, args: ['9', ...paths] }),
    wrk({ ...run, url, script: 'list', connections: readers }),
  ]);
  const [, lists] = results;
  // A few readers can wait longer than a short run for a server that waits for its disk.
  return { ...result(results), ...(lists.requests > 0 && { reads: latency(lists) }) };
}

/** Adds up what several wrk did at once; the latencies are those of the first. */
function result(runs: readonly [WrkResult, ...WrkResult[]]): LoadResult {
  const [first] = runs;
  const total = (figure: (run: WrkResult) => number) =>
    runs.reduce((sum, run) => sum + figure(run), 0);
  const requests = total((run) => run.requests);
  if (requests === 0) throw new Error('no request was answered');
  return {
    requests,
    requestsPerSecond: total((run) => (run.requests * 1e6) / run.durationUs),
    answerBytes: total((run) => run.bytes) / requests,
    ...latency(first),
    ...(first.reads && { reads: first.reads }),
    ...(first.creates !== undefined && { createShare: first.creates / requests }),
  };
}

function latency({ p50, p99, p999 }: Latency): Latency {
  return { p50, p99, p999 };
}
