import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { ReadHistory } from '@petstore/test-support/read-history.ts';

/** A patcher goes on to another animal after so many versions. */
const VERSIONS = 20;

/** The pause of a client after each response, in milliseconds. */
const PAUSE_MS = 5;

/** The process ended meanwhile. */
const CUT: Response = { status: 0, text: '', link: null };

interface Response {
  readonly status: number;
  readonly text: string;
  readonly link: string | null;
}

/**
 * Clients that create, patch, get and list animals, each request at a process that is picked by chance, until `end`,
 * which gives what they were told. What fails is tried no more: only what was told counts. `statuses` tells how often each
 * method had each status, or was `cut`.
 */
export function concurrentClients(t: Ending, origins: readonly string[], key: string) {
  const history = new ReadHistory();
  const statuses = new Map<string, number>();
  /** Ids of animals that are patched. */
  const hot: number[] = [];
  let isOver = false;
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const origin = origins[Math.floor(Math.random() * origins.length)];
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
      .then(responseOf)
      .catch(() => CUT);
    const kind = `${method} ${response === CUT ? 'cut' : response.status}`;
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
    await sleep(response === CUT || response.status >= 400 ? 10 : PAUSE_MS);
    return response;
  };

  const create = async (): Promise<number | undefined> => {
    const response = await call('POST', '/v1/pets', { name: '1', categoryId: 1 });
    if (response.status !== 201) return undefined;
    const { id } = JSON.parse(response.text);
    history.acknowledged(id, 1);
    return id;
  };

  const creator = async () => {
    while (!isOver) await create();
  };

  const patcher = async () => {
    while (!isOver) {
      const id = await create();
      if (id === undefined) continue;
      hot.push(id);
      for (let version = 2; version <= VERSIONS && !isOver; version++) {
        history.trying(id, version);
        const { status } = await call('PATCH', `/v1/pets/${id}`, { name: `${version}` });
        // It may have happened, and may yet.
        if (status !== 200) break;
        history.acknowledged(id, version);
      }
    }
  };

  const getter = async () => {
    while (!isOver) {
      const id = hot.at(-1 - Math.floor(Math.random() * 3));
      if (id === undefined) {
        await sleep(5);
        continue;
      }
      const begunAt = performance.now();
      const { status, text } = await call('GET', `/v1/pets/${id}`);
      if (status !== 200 && status !== 404) continue;
      history.ended(
        begunAt,
        { after: id - 1, to: id },
        status === 404 ? [] : [versionOf(JSON.parse(text))],
      );
    }
  };

  /** Follows links, and stays at the last page. */
  const lister = async () => {
    let path = '/v1/pets?limit=100';
    let after = 0;
    while (!isOver) {
      const begunAt = performance.now();
      const { status, text, link } = await call('GET', path);
      if (status !== 200) continue;
      const shown = (JSON.parse(text) as Pet[]).map(versionOf);
      const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
      const to = next === undefined ? Number.POSITIVE_INFINITY : (shown.at(-1)?.[0] ?? after);
      history.ended(begunAt, { after, to }, shown);
      if (next !== undefined) {
        const { pathname, search } = new URL(next);
        path = `${pathname}${search}`;
        after = to;
      }
    }
  };

  const clients = [creator(), creator(), patcher(), patcher(), patcher()].concat(
    Array.from({ length: 4 }, getter),
    Array.from({ length: 4 }, lister),
  );
  const end = async () => {
    isOver = true;
    await Promise.all(clients);
  };
  cleanUp(t, end);
  return { history, statuses, end };
}

async function responseOf(response: globalThis.Response): Promise<Response> {
  const text = await response.text();
  return { status: response.status, text, link: response.headers.get('link') };
}

interface Pet {
  readonly id: number;
  readonly name: string;
}

function versionOf({ id, name }: Pet): [number, number] {
  return [id, Number(name)];
}
