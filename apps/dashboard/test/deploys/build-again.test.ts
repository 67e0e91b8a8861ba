import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { removeUnreferenced } from '../../server/src/store/artifacts.ts';
import { type TarEntry, tarGzOf } from '../support/archives.ts';
import { createProject, finished } from '../support/project.ts';
import { json, type Service, startService, type Visitor } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

const TAKEN = 'The same files were built before: the result of that build is taken, and its log:';

const FILES: readonly TarEntry[] = [
  { name: 'docs.yaml', content: 'title: Parcels\nopenapi: openapi.yaml\nnavigation: [start.md]\n' },
  { name: 'start.md', content: '# Start\n\nHello.\n' },
  { name: 'other.md', content: '# Other\n\nNot listed.\n' },
  {
    name: 'openapi.yaml',
    content: 'openapi: 3.1.0\ninfo: {title: Parcels, version: 1.0}\npaths: {}\n',
  },
];

const withStart = (content: string) =>
  FILES.map((file) => (file.name === 'start.md' ? { ...file, content } : file));

interface Setting {
  readonly service: Service;
  readonly root: Visitor;
  readonly url: string;
  /** Deploys an archive of files. */
  send(files: readonly TarEntry[], query?: string): Promise<Deploy>;
  log(deploy: Deploy): Promise<string[]>;
}

async function setUp(t: TestContext, now?: () => number): Promise<Setting> {
  const service = await startService(t, {}, now ? { now } : {});
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'parcels');
  return {
    ...{ service, root, url },
    async send(files, query = '') {
      const path = `/api/projects/parcels/deploys${query}`;
      const { id } = await json<Deploy>(await root.call('POST', path, await tarGzOf(files)), 202);
      return finished(root, 'parcels', id);
    },
    async log({ id }) {
      const path = `/api/projects/parcels/deploys/${id}/log`;
      const { items } = await json<{ items: { message: string }[] }>(await root.call('GET', path));
      return items.map(({ message }) => message);
    },
  };
}

const artifactsOf = ({ db }: Service) =>
  db.selectFrom('artifacts').select(['hash', 'build_key']).orderBy('created_at').execute();

onBothEngines('the same files are not built again, whatever archive they come in', async (t) => {
  const { service, send, log } = await setUp(t);
  const first = await send(FILES);
  const firstLog = await log(first);
  assert.ok(!firstLog.includes(TAKEN));

  const mtime = new Date(0);
  const again = await send(FILES.toReversed().map((file) => ({ ...file, mtime, mode: 0o600 })));
  const said = await log(again);
  assert.equal(again.live, true);
  assert.ok(said.includes(TAKEN), said.join('\n'));
  assert.deepEqual(again.warnings, first.warnings);
  assert.ok(again.warnings.length > 0);
  // All that the build says, in its order.
  const ofBuild = (lines: readonly string[]) =>
    lines.filter((line) => line !== TAKEN && !/^(?:Received|Storing the site)/.test(line));
  assert.deepEqual(ofBuild(said), ofBuild(firstLog));
  assert.ok(
    said.some((line) => line.includes('0 files changed, ')),
    said.join('\n'),
  );
  assert.equal((await artifactsOf(service)).length, 1);
});

onBothEngines('files that differ are built, and so are the same ones by other code', async (t) => {
  const { service, send, log } = await setUp(t);
  await send(FILES);
  const changed = await send(withStart('# Start\n\nHello again.\n'));
  assert.ok(!(await log(changed)).includes(TAKEN));
  const renamed = FILES.map((file) =>
    file.name === 'other.md' ? { ...file, name: 'another.md' } : file,
  );
  assert.ok(!(await log(await send(renamed))).includes(TAKEN));

  // What an earlier release has made has a key of its own.
  await service.db.updateTable('artifacts').set({ build_key: 'of other code' }).execute();
  assert.ok(!(await log(await send(FILES))).includes(TAKEN));
  assert.ok((await log(await send(FILES))).includes(TAKEN));
});

onBothEngines('a site that is taken again has the dates that a build would give it', async (t) => {
  let clock = Date.parse('2026-03-01T10:00:00Z');
  const { url, send, log } = await setUp(t, () => clock);
  const dates = async () => {
    const { body } = await fetchFromSite(`${url}/sitemap.xml`);
    const found = body.matchAll(/<loc>[^<]*\/(start|other)<\/loc><lastmod>([^<]*)</g);
    return Object.fromEntries([...found].map(([, page, date]) => [page, date?.slice(0, 10)]));
  };
  await send(FILES);
  clock += 86_400_000;
  await send(FILES);
  assert.deepEqual(await dates(), { start: '2026-03-01', other: '2026-03-01' });
  clock += 86_400_000;
  await send(withStart('# Start\n\nChanged.\n'));
  assert.deepEqual(await dates(), { start: '2026-03-03', other: '2026-03-01' });
  clock += 86_400_000;
  const back = await send(FILES);
  assert.ok((await log(back)).includes(TAKEN));
  // The page says something else than what was live until now.
  assert.deepEqual(await dates(), { start: '2026-03-04', other: '2026-03-01' });
});

onBothEngines('a build that is taken again keeps its contents, and goes with them', async (t) => {
  let clock = Date.now();
  const { service, url, send, log } = await setUp(t, () => clock);
  const release = async () => {
    await service.db.updateTable('projects').set({ live_deploy_id: null }).execute();
    await service.db.updateTable('deploys').set({ artifact_hash: null }).execute();
    clock += 2 * 3_600_000;
  };
  const prune = async () => {
    while ((await removeUnreferenced(service.db, clock)) > 0);
  };
  await send(FILES);
  // Nothing refers to it but its key. It has not been pruned yet, and is taken into use.
  await release();
  assert.ok((await log(await send(FILES))).includes(TAKEN));
  await prune();
  assert.match((await fetchFromSite(`${url}/start`)).body, /Hello\./);

  // Once it is pruned, there is nothing to take.
  await release();
  await prune();
  assert.deepEqual(await artifactsOf(service), []);
  assert.ok(!(await log(await send(FILES))).includes(TAKEN));
  assert.match((await fetchFromSite(`${url}/start`)).body, /Hello\./);
});

test('a strict deploy fails for the warnings of an earlier build', async (t) => {
  const { send, log } = await setUp(t);
  await send(FILES);
  const made = await send(FILES, '?strict=true');
  assert.ok((await log(made)).includes(TAKEN));
  assert.equal(made.state, 'failed');
  assert.match(JSON.stringify(made.errors), /other\.md/);
});
