// The checker: clients of the API, and a watch over the machines, inside of the cluster's network.

import { Api } from './api.ts';
import type { Alone, FromChecker, Measured, Order, ToChecker } from './checker.ts';
import {
  FIRST_PAGE,
  makeFirst,
  runClients,
  runClientsAlone,
  type Walker,
  type World,
} from './clients.ts';
import { takeFinalLook } from './final-look.ts';
import { History, type Violation } from './history.ts';
import { Statistics } from './statistics.ts';
import { type Address, lookAt } from './watch.ts';

const WALKERS = 3;

/** Statistics of a span of time that pass each request on to those of a span within it. */
class Spanning extends Statistics {
  readonly #shorter: Statistics;

  constructor(shorter: Statistics) {
    super();
    this.#shorter = shorter;
  }

  override count(isOk: boolean, tookMs: number): void {
    super.count(isOk, tookMs);
    this.#shorter.count(isOk, tookMs);
  }
}

interface Halves {
  readonly reads: Statistics;
  readonly writes: Statistics;
}

const seconds = { reads: new Statistics(), writes: new Statistics() };
const cause = { reads: new Spanning(seconds.reads), writes: new Spanning(seconds.writes) };
const trial = { reads: new Spanning(cause.reads), writes: new Spanning(cause.writes) };
const spans = { cause, trial };
const history = new History(tellViolation);
const walkers = Array.from(
  { length: WALKERS },
  (): Walker => ({ seen: new Set(), path: FIRST_PAGE, behind: 0, last: 0 }),
);
let goesOn = true;
const clients: Promise<void>[] = [];
let world: World | undefined;
/** Gives a key to the API machine at an address, with statistics of its own. */
let apiAt: (url: string, statistics: Halves) => Api;
/** Ends the clients that send requests to one machine, and returns their figures. */
let stopAlone: (() => Alone)[] = [];

process.on('message', (message: ToChecker) => {
  act(message).catch((error: Error) => {
    tellViolation({ kind: 'wrong response', what: error.stack ?? error.message });
    tell({ said: 'ended' });
  });
});
process.once('disconnect', () => process.exit());

async function act(message: ToChecker): Promise<void> {
  if (message.do === 'begin') await begin(message.order);
  else if (message.do === 'measure')
    tell({ said: 'measured', measured: measure(spans[message.of]) });
  else if (message.do === 'ask-alone') tell({ said: 'alone', alone: askAlone(message.apis) });
  else if (message.do === 'post') await post(message.url, message.body);
  else await end();
}

async function begin({ apiUrl, apiKey, machines }: Order): Promise<void> {
  apiAt = (url, statistics) => new Api(url, apiKey, statistics, tellViolation);
  const api = apiAt(apiUrl, trial);
  world = { api, history, categoryId: undefined, goesOn: () => goesOn, counters: [], walkers };
  await makeFirst(world);
  clients.push(runClients(world));
  setInterval(async () => {
    tell({ said: 'second', state: await lookAt(machines), measured: measure(seconds) });
  }, 1_000);
  tell({ said: 'begun' });
}

function askAlone(apis: readonly Address[]): Alone[] {
  const figures = stopAlone.map((stop) => stop());
  stopAlone = apis.map(({ name, address }) => {
    if (!world) throw new Error('The clients have not begun.');
    let isAsked = true;
    const [reads, writes] = [new Statistics(), new Statistics()];
    const api = apiAt(`http://${address}:8080/v1`, { reads, writes });
    clients.push(runClientsAlone({ ...world, api, goesOn: () => goesOn && isAsked }));
    return () => {
      isAsked = false;
      return { name, reads: reads.take(), writes: writes.take() };
    };
  });
  return figures;
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  tell({ said: 'posted', status: response.status, text: await response.text() });
}

async function end(): Promise<void> {
  goesOn = false;
  await Promise.all(clients);
  if (world) await takeFinalLook(world);
  tell({ said: 'ended' });
}

function measure({ reads, writes }: Halves): Measured {
  return { reads: reads.take(), writes: writes.take(), acknowledged: history.acknowledged };
}

function tellViolation(violation: Violation): void {
  tell({ said: 'violation', violation });
}

function tell(message: FromChecker): void {
  process.send?.(message);
}
