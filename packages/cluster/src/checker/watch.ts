/** What a database machine says of itself. */
export interface DatabaseState {
  readonly name: string;
  /** As Patroni has it: `primary`, `replica`; undefined where nobody answers. */
  readonly role?: string;
  /** As Patroni has it: `running`, `starting`, `stopped`. */
  readonly state?: string;
  readonly timeline?: number;
  /** Where its log is, in bytes. */
  readonly position?: number;
  /** Whether commits wait for it. */
  readonly isSynchronous?: boolean;
}

/** What an API machine says of itself. */
export interface ApiState {
  readonly name: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

export interface State {
  readonly databases: readonly DatabaseState[];
  readonly apis: readonly ApiState[];
}

type Machines = readonly { readonly name: string; readonly address: string }[];

const LIMIT_MS = 900;

/** Asks every machine how it is. */
export async function lookAt(databases: Machines, apis: Machines): Promise<State> {
  return {
    databases: await Promise.all(databases.map(lookAtDatabase)),
    apis: await Promise.all(apis.map(lookAtApi)),
  };
}

async function lookAtDatabase({ name, address }: Machines[number]): Promise<DatabaseState> {
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

async function lookAtApi({ name, address }: Machines[number]): Promise<ApiState> {
  const isReady = (half: string) =>
    fetch(`http://${address}:8080/readyz/${half}`, { signal: AbortSignal.timeout(LIMIT_MS) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  const [reads, writes] = await Promise.all([isReady('reads'), isReady('writes')]);
  return { name, reads, writes };
}
