import { runLoad } from './loads.ts';
import { LIST, type Service } from './service.ts';

export const CONNECTIONS = 32;

/** Processor time of the service for a list that it has in memory, in microseconds, over so many seconds of load. */
export async function listCost({ server, origin, key }: Service, seconds: number): Promise<number> {
  const contender = { list: LIST, prefix: '/v1' };
  const run = { load: 'list', contender, origin, key, connections: CONNECTIONS, seconds } as const;
  const { result, cpuMs } = await server.use(() => runLoad(run));
  return (cpuMs * 1_000) / result.requests;
}

/** What a list cost one service and then the other, or the other way round, and the first to the second. */
interface Pair {
  readonly cost: number;
  readonly other: number;
  readonly ratio: number;
}

/** Measures a list of two services in short turns that follow each other. */
export async function listCosts(
  service: Service,
  other: Service,
  { pairs, seconds }: { readonly pairs: number; readonly seconds: number },
): Promise<Pair[]> {
  const taken: Pair[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Whoever comes second may find the machine a little warmer, so they change places.
    const before = pair % 2 ? await listCost(other, seconds) : undefined;
    const cost = await listCost(service, seconds);
    const beside = before ?? (await listCost(other, seconds));
    taken.push({ cost, other: beside, ratio: cost / beside });
  }
  return taken;
}
