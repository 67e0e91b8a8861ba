import assert from 'node:assert/strict';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Deploy, DeployChanges } from '../../server/src/deploys/deploy.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { createProject } from './project.ts';
import { json, startService, type Visitor } from './service.ts';

// A project `pets`, whose API changes.

export const PROJECT = '/api/projects/pets';

/** A document with these operations, `GET /pets` among others, and properties of its response. */
export const petsWith = (
  paths: readonly string[],
  properties: readonly string[] = ['id', 'name'],
) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        {
          get: {
            operationId: `get${path.replaceAll('/', '-')}`,
            tags: ['animals'],
            responses: {
              200: {
                description: 'Done.',
                content: {
                  'application/json': {
                    schema: {
                      type: 'object',
                      required: properties,
                      properties: Object.fromEntries(
                        properties.map((name) => [name, { type: 'string' }]),
                      ),
                    },
                  },
                },
              },
            },
          },
        },
      ]),
    ),
  });

/** A service with the project, and its owner. */
export async function setUp(
  t: Parameters<typeof startService>[0],
  options: Parameters<typeof startService>[2] = {},
) {
  const service = await startService(t, {}, options);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  return { service, root, url };
}

export const changesOf = async (someone: Visitor, id: string) =>
  json<DeployChanges>(await someone.call('GET', `${PROJECT}/deploys/${id}/changes`));

export const logOf = async (someone: Visitor, id: string) => {
  const path = `${PROJECT}/deploys/${id}/log`;
  const { items } = await json<Page<{ message: string }>>(await someone.call('GET', path));
  return items.map(({ message }) => message);
};

export const readProject = async (someone: Visitor) =>
  json<Project>(await someone.call('GET', PROJECT));

export const activate = (someone: Visitor, { id }: Deploy, query = '') =>
  someone.call('POST', `${PROJECT}/deploys/${id}/activate${query}`);

export const entriesOf = async (someone: Visitor, action: string) => {
  const { items } = await json<Page<AuditEntry>>(await someone.call('GET', `${PROJECT}/audit`));
  return items.filter((entry) => entry.action === action);
};

export const holdBreaking = async (owner: Visitor) => {
  const changed = await json<Project>(await owner.call('PATCH', PROJECT, { holdBreaking: true }));
  assert.equal(changed.holdBreaking, true);
};
