import { DashboardUnderTest } from './dashboard.ts';

export interface DeploysKept {
  readonly deploys: number;
  readonly operations: number;
  /** The database before them and after, in MiB. */
  readonly beforeMiB: number;
  readonly sameMiB: number;
  readonly changedMiB: number;
  readonly seconds: number;
}

const OPERATIONS = 100;

/**
 * Deploys a document of 100 operations again and again: first the very same, then each time with another description of
 * one operation.
 */
export async function measureDeploys(folder: string, deploys: number): Promise<DeploysKept> {
  const dashboard = await DashboardUnderTest.start(folder);
  const upload = (changed: number) => ({
    ...{ kind: 'document' as const, name: 'openapi.json' },
    bytes: Buffer.from(JSON.stringify(documentOf(changed))),
  });
  const begun = performance.now();
  await dashboard.createProject('deploys');
  await dashboard.deploy('deploys', upload(0));
  const beforeMiB = dashboard.sizeMiB();
  for (let at = 0; at < deploys; at++) await dashboard.deploy('deploys', upload(0));
  const sameMiB = dashboard.sizeMiB() - beforeMiB;
  for (let at = 0; at < deploys; at++) await dashboard.deploy('deploys', upload(at + 1));
  const changedMiB = dashboard.sizeMiB() - beforeMiB - sameMiB;
  await dashboard.stop();
  const seconds = (performance.now() - begun) / 1_000;
  return { deploys, operations: OPERATIONS, beforeMiB, sameMiB, changedMiB, seconds };
}

function documentOf(changed: number): object {
  const names = Array.from({ length: OPERATIONS }, (_, at) => `thing-${at}`);
  const operationOf = (name: string, at: number) => ({
    ...{ operationId: name, summary: `Get ${name}`, tags: [`Group ${at % 10}`] },
    description: at === changed % OPERATIONS ? `The ${changed}th edition of ${name}.` : 'A thing.',
    parameters: [
      { name: 'limit', in: 'query', description: 'How many at most.', schema: { type: 'integer' } },
      { name: 'cursor', in: 'query', description: 'Where to go on.', schema: { type: 'string' } },
    ],
    responses: {
      200: {
        description: 'Some things.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Things' } } },
      },
    },
  });
  const property = (type: string) => ({ type, description: 'As it was when it was read.' });
  const thing = { id: property('integer'), name: property('string'), weight: property('number') };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(
      names.map((name, at) => [`/${name}`, { get: operationOf(name, at) }]),
    ),
    components: {
      schemas: {
        Thing: { type: 'object', properties: thing, required: ['id', 'name'] },
        Things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
      },
    },
  };
}
