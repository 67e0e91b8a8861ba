import type { Contender, Load } from './contenders.ts';
import { type Cell, findCell, type Guessing, type Results, type SandboxEngine } from './results.ts';
import { siteVerdicts } from './sites/site-targets.ts';
import { spread } from './statistics.ts';
import { atLeast, atMost, type Verdict } from './verdict.ts';

const MEGABYTES_PER_MIB = 2 ** 20 / 1e6;
const MILLION = 1_000_000;

/** What the project promises itself, and what came of it. Unmeasured where a result is missing. */
export function verdicts(results: Partial<Results>): Verdict[] {
  const { latest: comparison, growth, edge, 'edge-tls': edgeTls, quota, guessing } = results;
  const engines = results.sandboxes?.engines;
  const most = (figure: (engine: SandboxEngine) => number) =>
    engines && Math.max(...engines.map(figure));
  const cell = (load: Load, connections: number, name = 'petstore') =>
    comparison && findCell(comparison, load, connections, name);
  const ratio = (load: Load, connections: number, name?: string) =>
    cell(load, connections, name)?.ratio.median;
  const timesBest = (
    own: Cell | undefined,
    load: Load,
    connections: number,
    on: Contender['runsOn'] = 'node',
  ) => {
    const peers = comparison?.contenders.filter(
      ({ commitsEach, runsOn }) => commitsEach && runsOn === on,
    );
    const best = Math.max(...(peers ?? []).map(({ name }) => ratio(load, connections, name) ?? 0));
    return own && best > 0 ? own.ratio.median / best : undefined;
  };
  const ahead = (title: string, load: Load, connections: number) =>
    atLeast(
      `${title}, to the better of Go and Rust; ${connections} connections`,
      timesBest(cell(load, connections), load, connections, 'machine'),
      1,
      ' times',
    );
  const uncached = cell('list-uncached', 32, 'petstore-uncached');
  const million = growth?.sizes.find(({ pets }) => pets === MILLION);
  const costs = growth?.sizes.map(({ operations }) => operations.first.cost.median);
  const largest = growth?.sizes.at(-1)?.pets.toLocaleString('en-US');
  const peak = million && million.peakMiB * MEGABYTES_PER_MIB;

  return [
    atLeast('List 20, unchanged, of bare; 32 connections', ratio('list', 32), 0.85),
    atLeast('List 20, page cache off, of bare; 32 connections', uncached?.ratio.median, 0.42),
    atLeast(
      'List 20, page cache off, to the best peer on Node; 32 connections',
      timesBest(uncached, 'list', 32),
      2,
      ' times',
    ),
    atMost(
      'List 20, unchanged: what a quota for the key costs; 32 connections',
      quota && (quota.ratio.median - 1) * 100,
      5,
      ' %',
    ),
    atMost(
      'List 20, unchanged: what it costs more while a million wrong keys are tried; 32 connections',
      guessing && (spread(afterGuesses(guessing)).median - 1) * 100,
      10,
      ' %',
    ),
    atLeast('Get one by id, of bare; 32 connections', ratio('get', 32), 0.6),
    atLeast(
      'Create, to the best on Node that commits each by itself; 64 connections',
      timesBest(cell('create', 64), 'create', 64),
      10,
      ' times',
    ),
    atLeast('Create, of bare; 64 connections', ratio('create', 64), 0.35),
    ahead('List 20, unchanged', 'list', 32),
    ahead('Get one by id', 'get', 32),
    ahead('Create', 'create', 64),
    ahead('Mix', 'mix', 64),
    atLeast('Mix, of bare; 64 connections', ratio('mix', 64), 0.4),
    atMost('Mix, p99 of the lists; 64 connections', cell('mix', 64)?.readsP99?.median, 10, ' ms'),
    atMost(
      `List from 1,000 to ${largest ?? '10,000,000'} pets: growth of the cost`,
      costs && (Math.max(...costs) - 1) * 100,
      10,
      ' %',
    ),
    atMost('Start with 1,000,000 pets to the first 200', million?.startMs.median, 500, ' ms'),
    atMost('Memory with 1,000,000 pets under the mix', peak, 160, ' MB'),
    atMost(
      'Sandbox: to make one, median',
      most(({ createMs }) => createMs.median),
      5,
      ' ms',
    ),
    atMost(
      'Sandbox: to make one, p99',
      most(({ createMs }) => createMs.p99),
      5,
      ' ms',
    ),
    atMost(
      'Sandbox: an idle one of 10,000 in memory, read and changed before',
      most(({ used }) => used.memoryKb),
      20,
      ' kB',
    ),
    atMost(
      'Sandbox: the same on disk',
      most(({ used }) => used.diskKb),
      20,
      ' kB',
    ),
    atLeast(
      'Edge, page of 10 kB, of nginx; 32 connections',
      edge?.loads.page.edge.ratio.median,
      0.5,
    ),
    atLeast(
      'Edge over TLS, kept connections, of nginx; 32 connections',
      edgeTls?.loads.requests?.edge.ratio.median,
      0.6,
    ),
    atMost(
      'Edge, handshakes at hosts in use among 100,000: more than among 10',
      edgeTls && (edgeTls.crowds.inUse.ofFew.median - 1) * 100,
      10,
      ' %',
    ),
    ...siteVerdicts(results.sites),
  ];
}

/** How much the right key's lists cost to those of a quiet service, each time that some guesses had been made. */
function afterGuesses({ slices }: Guessing): number[] {
  return slices.filter(({ guesses }) => guesses > 0).map(({ ratio }) => ratio.median);
}
