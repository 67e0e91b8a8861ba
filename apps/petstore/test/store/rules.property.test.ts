import assert from 'node:assert/strict';
import '@petstore/test-support/clean-up.ts';
import { type Body, onEveryEngine } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { isRefusal, type RefusalCode } from '../../src/refusal.ts';
import type { ResourceStore } from '../../src/store/store.ts';
import { openResources, SANDBOXES } from '../support/sandboxes.ts';

// Many clients order, cancel, complete, patch and remove one animal at once. Whatever came of it must
// be explained by some order in which the same was done one by one: each answer is then one that the
// rules give, and no state in between is one that they forbid. The rules are written down here a
// second time, as a model, since a test that asked the service's own table would agree with anything.

const test = (title: string, body: Body) => onEveryEngine(title, body, SANDBOXES);

type Status = 'available' | 'pending' | 'sold';

type Step =
  | { kind: 'patch'; status: Status }
  | { kind: 'rename' }
  | { kind: 'remove' }
  | { kind: 'place' }
  | { kind: 'end'; how: 'completed' | 'cancelled'; which: number };

/** What was asked and answered, and when: from the beginning of the call to the end of its wait. */
interface Event {
  readonly step: Step;
  /** The order that an `end` was about. */
  readonly order: bigint | undefined;
  readonly outcome: RefusalCode | 'done';
  /** The order that a `place` made. */
  readonly placed: bigint | undefined;
  readonly from: number;
  readonly to: number;
}

interface State {
  readonly status: Status | 'gone';
  readonly open: bigint | undefined;
}

const STEPS: Record<Status, Status[]> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: ['available'],
};

/** What the rules answer in a state, and the state after it. */
function model(state: State, { step, order, placed }: Event): [Event['outcome'], State] {
  const { status, open } = state;
  if (step.kind === 'end') {
    if (order === undefined || order !== open) return ['invalid_transition', state];
    const next = step.how === 'completed' ? 'sold' : 'available';
    return ['done', { status: next, open: undefined }];
  }
  if (status === 'gone') return ['not_found', state];
  switch (step.kind) {
    case 'place':
      if (status !== 'available') return ['conflict', state];
      return ['done', { status: 'pending', open: placed ?? -1n }];
    case 'remove':
      return open === undefined ? ['done', { status: 'gone', open }] : ['conflict', state];
    case 'rename':
      return open === undefined ? ['done', state] : ['conflict', state];
    case 'patch':
      if (step.status === status) return ['done', state];
      if (open !== undefined) return ['conflict', state];
      if (!STEPS[status].includes(step.status)) return ['invalid_transition', state];
      return ['done', { status: step.status, open }];
  }
}

/** The states in which all events can have ended, done one by one in an order that time allows. */
function explanations(events: readonly Event[], start: State): State[] {
  const seen = new Set<string>();
  const ends: State[] = [];
  const search = (done: number, state: State): void => {
    const key = `${done} ${state.status} ${state.open}`;
    if (seen.has(key)) return;
    seen.add(key);
    const left = events.filter((_, at) => !(done & (1 << at)));
    if (left.length === 0) ends.push(state);
    const firstEnd = Math.min(...left.map(({ to }) => to));
    for (const [at, event] of events.entries()) {
      // What began after another had ended cannot have happened before it.
      if (done & (1 << at) || event.from > firstEnd) continue;
      const [outcome, next] = model(state, event);
      if (outcome === event.outcome) search(done | (1 << at), next);
    }
  };
  search(0, start);
  return ends;
}

const status = fc.constantFrom<Status>('available', 'pending', 'sold');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'place' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      how: fc.constantFrom('completed' as const, 'cancelled' as const),
      which: fc.nat({ max: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('patch' as const), status }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'rename' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'remove' }) },
);
const clients = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 2,
  maxLength: 6,
});

/** Lets clients do their steps on a new animal, each one after another and all at the same time. */
async function play({ pets, orders }: ResourceStore, start: Status, scripts: Step[][]) {
  const { id } = await pets.create({ name: 'Rex', categoryId: 1n, status: start });
  const events: Event[] = [];
  const known: bigint[] = [];
  let clock = 0;
  const run = async (step: Step) => {
    const from = clock++;
    const order = step.kind === 'end' ? known[step.which % known.length] : undefined;
    if (step.kind === 'end' && order === undefined) return;
    const result = await (() => {
      switch (step.kind) {
        case 'place':
          return orders.place(id, new Date());
        case 'end':
          return orders.end(order ?? 0n, step.how, new Date());
        case 'patch':
          return pets.update(id, { status: step.status });
        case 'rename':
          return pets.update(id, { name: `Rex ${from}` });
        case 'remove':
          return pets.remove(id);
      }
    })();
    const isPlaced = typeof result === 'object' && 'id' in result;
    if (isPlaced) known.push(result.id);
    const outcome = isRefusal(result) ? result.refused : 'done';
    const placed = isPlaced ? result.id : undefined;
    events.push({ step, order, outcome, placed, from, to: clock++ });
  };
  await Promise.all(
    scripts.map(async (script) => {
      for (const step of script) await run(step);
    }),
  );
  return { id, events, known };
}

test('what clients do at once to one animal is always explained by the rules', async (t, engine) => {
  const store = await openResources(t, engine, await engine.createDatabase(t));
  await fc.assert(
    fc.asyncProperty(status, clients, async (start, scripts) => {
      const { id, events, known } = await play(store, start, scripts);
      const pet = await store.pets.get(id);
      const found = {
        status: /"status":"(\w+)"/.exec(pet ?? '')?.[1] ?? 'gone',
        open: undefined as bigint | undefined,
      };
      for (const order of known) {
        if ((await store.orders.get(order))?.includes('"status":"placed"')) {
          assert.equal(found.open, undefined, 'no animal has two open orders');
          found.open = order;
        }
      }
      const ends = explanations(events, { status: start, open: undefined });
      assert.ok(
        ends.some(({ status, open }) => status === found.status && open === found.open),
        `nothing explains ${JSON.stringify([start, events, found], (_key, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      );
    }),
    { numRuns: 60 },
  );
});

test('of any number of orders for one animal at once, exactly one is placed', async (t, engine) => {
  const { pets, orders } = await openResources(t, engine, await engine.createDatabase(t));
  for (let round = 0; round < 5; round++) {
    const { id } = await pets.create({ name: 'Rex', categoryId: 1n, status: 'available' });
    const results = await Promise.all(
      Array.from({ length: 100 }, () => orders.place(id, new Date())),
    );
    const refused = results.filter(isRefusal);
    assert.equal(refused.length, 99);
    assert.ok(refused.every(({ refused }) => refused === 'conflict'));
    assert.match((await pets.get(id)) ?? '', /"status":"pending"/);
  }
});
