// The checker: clients of the API, and a watch over the machines, inside of the cluster's network.

import { Api } from './api.ts';
import type { FromChecker, Measured, Order, ToChecker } from './checker.ts';
import { FIRST_PAGE, makeFirst, runClients, type Walker, type World } from './clients.ts';
import { takeFinalLook } from './final-look.ts';
import { History, type Violation } from './history.ts';
import { Statistics } from './statistics.ts';
import { lookAt } from './watch.ts';

const WALKERS = 3;

/** One set of figures is taken each second, another one whenever it is asked for. */
class Both extends Statistics {
  readonly #others: Statistics;

  constructor(others: Statistics) {
    super();
    this.#others = others;
  }

  override count(isOk: boolean, tookMs: number): void {
    super.count(isOk, tookMs);
    this.#others.count(isOk, tookMs);
  }
}

const seconds = { reads: new Statistics(), writes: new Statistics() };
const asked = { reads: new Both(seconds.reads), writes: new Both(seconds.writes) };
const history = new History(tellViolation);
const walkers = Array.from(
  { length: WALKERS },
  (): Walker => ({ seen: new Set(), path: FIRST_PAGE, behind: 0, last: 0 }),
);
let goesOn = true;
let clients = Promise.resolve();
let world: World | undefined;

process.on('message', (message: ToChecker) => {
  act(message).catch((error: Error) => {
    tellViolation({ kind: 'wrong response', what: error.stack ?? error.message });
    tell({ said: 'ended' });
  });
});
process.once('disconnect', () => process.exit());

async function act(message: ToChecker): Promise<void> {
  if (message.do === 'begin') await begin(message.order);
  else if (message.do === 'measure') tell({ said: 'measured', measured: measure(asked) });
  else if (message.do === 'post') await post(message.url, message.body);
  else await end();
}

async function begin({ apiUrl, apiKey, machines }: Order): Promise<void> {
  const api = new Api(apiUrl, apiKey, asked, tellViolation);
  world = { api, history, categoryId: undefined, goesOn: () => goesOn, counters: [], walkers };
  await makeFirst(world);
  clients = runClients(world);
  setInterval(async () => {
    tell({ said: 'second', state: await lookAt(machines), measured: measure(seconds) });
  }, 1_000);
  tell({ said: 'begun' });
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  tell({ said: 'posted', status: response.status, text: await response.text() });
}

async function end(): Promise<void> {
  goesOn = false;
  await clients;
  if (world) await takeFinalLook(world);
  tell({ said: 'ended' });
}

function measure({ reads, writes }: { reads: Statistics; writes: Statistics }): Measured {
  return { reads: reads.take(), writes: writes.take(), acknowledged: history.acknowledged };
}

function tellViolation(violation: Violation): void {
  tell({ said: 'violation', violation });
}

function tell(message: FromChecker): void {
  process.send?.(message);
}
