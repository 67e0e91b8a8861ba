import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SHARED_ADDRESS } from '../cluster.ts';
import type { Machine } from '../machines/machine.ts';
import {
  anyOf,
  type Fault,
  namesOf,
  ONE_OF_THREE,
  primaryOf,
  synchronousStandbyOf,
} from './fault.ts';

// What operators do, rightly or by mistake.

/** How far a clock jumps, in seconds. */
const STEP_SECONDS = 600;

export const OPERATIONS: readonly Fault[] = [
  {
    id: 'switchover',
    title: 'The primary hands over to the synchronous standby',
    isBrief: true,
    limits: { readsMs: 15_000, writesMs: 15_000 },
    async apply(scene) {
      const [leader, candidate] = [primaryOf(scene), synchronousStandbyOf(scene)];
      const { status, text } = await scene.checker.post(
        `http://${leader.address}:8008/switchover`,
        { leader: leader.name, candidate: candidate.name },
      );
      if (status !== 200) throw new Error(`Patroni refused the switchover: ${text}`);
      return { to: `${leader.name}, ${candidate.name}`, undo: async () => undefined };
    },
  },
  {
    id: 'wrong-server',
    title: 'The address of the database leads to a standby',
    limits: { readsMs: 6_000, writesMs: 6_000, reachedMs: 3_000 },
    async apply(scene) {
      const { balancers, apis } = scene.cluster;
      const [primary, standby] = [primaryOf(scene), synchronousStandbyOf(scene)];
      const server = `primary/${primary.name}`;
      // Without its checks HAProxy does not notice. Existing sessions go on, as when an address moves.
      const lead = (to: Machine, health: 'disable' | 'enable') =>
        tellBalancers(
          balancers,
          `${health} health ${server}; set server ${server} addr ${to.address} port 5432`,
        );
      await lead(standby, 'disable');
      await tellBalancers(balancers, `shutdown sessions server ${server}`);
      return {
        to: namesOf(balancers),
        undo: () => lead(primary, 'enable'),
        reached: apis.filter(goesByBalancer),
      };
    },
  },
  {
    id: 'clock-ahead',
    title: `The clock of an API machine jumps ${STEP_SECONDS / 60} minutes ahead`,
    limits: ONE_OF_THREE,
    async apply({ cluster }) {
      const machine = anyOf(cluster.apis);
      await machine.stepClock(STEP_SECONDS);
      return { to: machine.name, undo: () => machine.stepClock(0) };
    },
  },
  {
    id: 'clock-behind',
    title: `The clock of an API machine jumps ${STEP_SECONDS / 60} minutes back`,
    limits: ONE_OF_THREE,
    async apply({ cluster }) {
      const machine = anyOf(cluster.apis);
      await machine.stepClock(-STEP_SECONDS);
      return { to: machine.name, undo: () => machine.stepClock(0) };
    },
  },
];

/** Whether the route of an API machine, or of its PgBouncer, to the database leads through the balancers. */
function goesByBalancer(api: Machine): boolean {
  const { PETSTORE_DATABASE_URL: url = '' } = api.environmentOf('petstore');
  return api.has('pgbouncer') || url.includes(`@${SHARED_ADDRESS}:`);
}

/** Sends a command to each HAProxy. */
async function tellBalancers(balancers: readonly Machine[], command: string): Promise<void> {
  for (const { folder, name } of balancers) {
    const socket = connect(join(folder, 'admin.sock'));
    socket.end(`${command}\n`);
    const said = (await text(socket)).trim();
    if (/no such|unknown|invalid|denied/i.test(said)) throw new Error(`${name}: ${said}`);
  }
}
