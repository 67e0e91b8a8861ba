import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SHARED_ADDRESS } from '../cluster.ts';
import type { Machine } from '../machines/machine.ts';
import {
  type Applied,
  anyOf,
  brief,
  type Fault,
  lasting,
  namesOf,
  ONE_OF_THREE,
  primaryOf,
  type Scene,
  synchronousStandbyOf,
} from './fault.ts';

// What operators do, rightly or by mistake.

/** How far a clock jumps, in seconds. */
const STEP_SECONDS = 600;

/** The clock of an API machine jumps by so many seconds. */
async function stepClock({ cluster }: Scene, seconds: number): Promise<Applied> {
  const machine = anyOf(cluster.apis);
  await machine.stepClock(seconds);
  return { to: machine.name, undo: () => machine.stepClock(0) };
}

export const OPERATIONS: readonly Fault[] = [
  brief(
    'switchover',
    'The primary hands over to the synchronous standby',
    { readsMs: 15_000, writesMs: 15_000 },
    async (scene) => {
      const [leader, candidate] = [primaryOf(scene), synchronousStandbyOf(scene)];
      const { status, text } = await scene.checker.post(
        `http://${leader.address}:8008/switchover`,
        { leader: leader.name, candidate: candidate.name },
      );
      if (status !== 200) throw new Error(`Patroni refused the switchover: ${text}`);
      return [leader, candidate];
    },
  ),
  lasting(
    'wrong-server',
    'The address of the database leads to a standby',
    { readsMs: 6_000, writesMs: 6_000, reachedMs: 3_000 },
    async (scene) => {
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
  ),
  lasting(
    'clock-ahead',
    `The clock of an API machine jumps ${STEP_SECONDS / 60} minutes ahead`,
    ONE_OF_THREE,
    (scene) => stepClock(scene, STEP_SECONDS),
  ),
  lasting(
    'clock-behind',
    `The clock of an API machine jumps ${STEP_SECONDS / 60} minutes back`,
    ONE_OF_THREE,
    (scene) => stepClock(scene, -STEP_SECONDS),
  ),
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
