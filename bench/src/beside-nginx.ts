import { ask } from './edge-checks.ts';
import { BENCH } from './paths.ts';
import type { Command } from './processes.ts';
import type { SideBySide } from './results.ts';
import { inTurns } from './run.ts';
import { type Running, startServer } from './service.ts';
import { ratioOf, type Spread, spreadsOf } from './statistics.ts';

/** What both comparisons of the edge with nginx have in common. */
export const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;

/** The edge on the pages of a folder, with settings besides its own. */
export function edgeCommand(
  sites: string,
  settings: Readonly<Record<string, string>> = {},
): (port: number) => Command {
  return (port) => ({
    args: [`${BENCH}src/edge-process.ts`],
    env: { BENCH_PORT: String(port), BENCH_DATA: sites, ...settings },
  });
}

/** Starts a server and waits until it answers with whatever it has. */
export async function startSites(
  command: (port: number) => Command,
  origin: (port: number) => string,
): Promise<Running> {
  return await startServer(command, async (port) => {
    await ask(origin(port));
    return true;
  });
}

/** A load on both in turns: the spread of each figure, and `rate` to nginx's in the same round. */
export async function compare<Figure extends string>(
  { nginx, edge }: SideBySide<Running>,
  rate: NoInfer<Figure>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  sample: (server: Running, seconds: number) => Promise<Record<Figure, number>>,
): Promise<SideBySide<Record<Figure | 'ratio', Spread>>> {
  const [ofNginx, ofEdge] = await inTurns([nginx, edge], rounds, (server, isWarmUp) =>
    sample(server, isWarmUp ? WARM_UP_SECONDS : seconds),
  );
  const summary = (own: readonly Record<Figure, number>[]) => ({
    ...spreadsOf(own),
    ratio: ratioOf(rate, own, ofNginx),
  });
  return { nginx: summary(ofNginx), edge: summary(ofEdge) };
}
