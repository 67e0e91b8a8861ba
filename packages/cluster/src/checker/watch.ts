/** The state that a database machine reports. */
interface DatabaseState {
  readonly name: string;
  /** In Patroni's words: `primary`, `replica`; undefined where it does not respond. */
  readonly role?: string;
  /** In Patroni's words: `running`, `starting`, `stopped`. */
  readonly state?: string;
  readonly timeline?: number;
  /** The position of its log, in bytes. */
  readonly position?: number;
  /** Whether commits wait for it. */
  readonly isSynchronous?: boolean;
}

/** The state that an API machine reports. */
interface ApiState {
  readonly name: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

interface BalancerState {
  readonly name: string;
  /** Whether its HAProxy responds. */
  readonly works: boolean;
}

export interface State {
  readonly databases: readonly DatabaseState[];
  readonly apis: readonly ApiState[];
  readonly balancers: readonly BalancerState[];
}

/** The machines to watch. */
export interface Machines {
  readonly databases: readonly Address[];
  readonly apis: readonly Address[];
  readonly balancers: readonly Address[];
}

export interface Address {
  readonly name: string;
  readonly address: string;
}

const LIMIT_MS = 900;

/** Asks every machine for its state. */
export async function lookAt({ databases, apis, balancers }: Machines): Promise<State> {
  return {
    databases: await Promise.all(databases.map(lookAtDatabase)),
    apis: await Promise.all(apis.map(lookAtApi)),
    balancers: await Promise.all(balancers.map(lookAtBalancer)),
  };
}

async function lookAtDatabase({ name, address }: Address): Promise<DatabaseState> {
  const said = await fetch(`http://${address}:8008/patroni`, {
    signal: AbortSignal.timeout(LIMIT_MS),
  })
    .then((response) => response.json())
    .catch(() => undefined);
  if (said === undefined) return { name };
  const { role, state, timeline, xlog, sync_standby: isSynchronous = false } = said;
  return {
    name,
    role: role === 'master' ? 'primary' : role,
    state,
    timeline,
    position: xlog?.location ?? xlog?.replayed_location,
    isSynchronous,
  };
}

async function lookAtApi({ name, address }: Address): Promise<ApiState> {
  const half = async (path: string) =>
    (await statusOf(`http://${address}:8080/readyz/${path}`)) === 200;
  const [reads, writes] = await Promise.all([half('reads'), half('writes')]);
  return { name, reads, writes };
}

/** HAProxy responds to this path itself, whatever is behind it. */
async function lookAtBalancer({ name, address }: Address): Promise<BalancerState> {
  return { name, works: (await statusOf(`http://${address}/readyz`)) === 404 };
}

/** Undefined where there is no response. */
async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
