import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import {
  BODY_FAILURES,
  CACHE_CONTROL,
  jsonResponse,
  NO_CONTENT,
  responses,
} from '../openapi/responses.ts';
import { Ref } from '../schema-types.ts';
import type { SandboxRows } from '../store/contract/sandbox-rows.ts';
import type { SandboxStores } from '../store/sandbox/sandbox-stores.ts';
import { StoreGoneError } from '../store/store-errors.ts';
import {
  isSnapshotName,
  MAX_SNAPSHOTS,
  Sandbox,
  Snapshot,
  SnapshotInput,
  SnapshotParams,
  Snapshots,
} from './sandbox.ts';
import { NO_SANDBOX, sandboxOfRequest } from './sandbox-of-request.ts';

interface OwnSandboxDeps {
  readonly sandboxes: SandboxRows;
  readonly stores: SandboxStores;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const reads = { scope: 'pets:read', stability: 'experimental', takesNoFaults: true } as const;
const writes = { scope: 'pets:write', stability: 'experimental', takesNoFaults: true } as const;
const tags = ['sandboxes'];

const NOON = '2026-11-21T12:00:00.000Z';
const example = {
  ...{ id: 'sbx_5f0c2a9be1d47386', name: 'lesson 4', seed: 200 },
  ...{ createdAt: NOON, expiresAt: '2026-11-21T13:00:00.000Z' },
  ...{ pets: 50, categories: 24, orders: 11, snapshots: 0 },
};
const snapshotExample = { name: 'before-lunch', createdAt: NOON, bytes: 0 };

const WRONG_NAME =
  'name must be 1 to 50 letters, digits, dots, dashes and underscores, the first a letter or a digit.';
const NO_SNAPSHOT = 'No snapshot has this name.';
const TOO_MANY = `A sandbox has up to ${MAX_SNAPSHOTS} snapshots. Delete one, or replace it by its name.`;

/** What a key of a sandbox can do with the sandbox itself. */
export const ownSandboxRoutes: FastifyPluginCallbackTypebox<OwnSandboxDeps> = (
  app,
  { sandboxes, stores, now },
  done,
) => {
  const show = async (id: string) => {
    const sandbox = await sandboxes.get(id);
    if (!sandbox) throw new StoreGoneError();
    const { name, seed, createdAt, expiresAt } = sandbox;
    const [size, snapshots] = await Promise.all([stores.sizeOf(id), sandboxes.snapshots.list(id)]);
    return {
      ...{ id, ...(name && { name }), seed, createdAt, expiresAt },
      ...{ ...size, snapshots: snapshots.length },
    };
  };

  app.get(
    '/sandbox',
    {
      config: reads,
      schema: {
        operationId: 'getSandbox',
        summary: 'Show the sandbox',
        description: 'Returns the sandbox of the key: when it ends, and what it holds.',
        tags,
        response: responses(
          { 200: jsonResponse(Sandbox, 'Sandbox returned.', example, CACHE_CONTROL) },
          { not_found: NO_SANDBOX },
        ),
      },
    },
    async (request, reply) => reply.headers(PRIVATE).send(await show(sandboxOfRequest(request).id)),
  );

  app.delete(
    '/sandbox',
    {
      config: writes,
      schema: {
        operationId: 'deleteSandbox',
        summary: 'Delete the sandbox',
        description:
          'Ends the sandbox of the key: its data are deleted, and the key is refused from then on.',
        tags,
        response: responses({ 204: NO_CONTENT }, { not_found: NO_SANDBOX }),
      },
    },
    async (request, reply) => {
      if (!(await sandboxes.remove(sandboxOfRequest(request).id))) throw new StoreGoneError();
      return reply.code(204).send();
    },
  );

  app.post(
    '/sandbox/reset',
    {
      config: writes,
      schema: {
        operationId: 'resetSandbox',
        summary: 'Reset the sandbox',
        description:
          'Makes the data what they were when the sandbox was made, ids and all. Snapshots stay, and so does the end.',
        tags,
        response: responses(
          { 200: jsonResponse(Sandbox, 'The sandbox as it is now.', example, CACHE_CONTROL) },
          { not_found: NO_SANDBOX },
        ),
      },
    },
    async (request, reply) => {
      const id = sandboxOfRequest(request).id;
      if (!(await sandboxes.reset(id))) throw new StoreGoneError();
      return reply.headers(PRIVATE).send(await show(id));
    },
  );

  app.get(
    '/sandbox/snapshots',
    {
      config: reads,
      schema: {
        operationId: 'listSnapshots',
        summary: 'List snapshots',
        description: 'Returns the snapshots of the sandbox, the oldest first.',
        tags,
        response: responses(
          { 200: jsonResponse(Snapshots, 'Snapshots returned.', [snapshotExample], CACHE_CONTROL) },
          { not_found: NO_SANDBOX },
        ),
      },
    },
    async (request, reply) =>
      reply.headers(PRIVATE).send(await sandboxes.snapshots.list(sandboxOfRequest(request).id)),
  );

  app.post(
    '/sandbox/snapshots',
    {
      config: writes,
      schema: {
        operationId: 'createSnapshot',
        summary: 'Keep a snapshot',
        description:
          'Keeps the data as they are now under a name. A snapshot of the same name is replaced. It ends with the sandbox.',
        tags,
        body: Ref(SnapshotInput),
        response: responses(
          { 201: jsonResponse(Snapshot, 'Snapshot kept.', snapshotExample, CACHE_CONTROL) },
          {
            ...BODY_FAILURES,
            invalid_request: WRONG_NAME,
            not_found: NO_SANDBOX,
            conflict: TOO_MANY,
          },
        ),
      },
    },
    async (request, reply) => {
      const id = sandboxOfRequest(request).id;
      const { name } = request.body;
      if (!isSnapshotName(name)) throw new ApiError('invalid_request', WRONG_NAME);
      const outcome = await sandboxes.snapshots.save(id, name, new Date(now()), MAX_SNAPSHOTS);
      if (outcome === 'not_found') throw new StoreGoneError();
      if (outcome === 'too_many') throw new ApiError('conflict', TOO_MANY);
      const kept = await sandboxes.snapshots.list(id);
      return reply
        .code(201)
        .headers(PRIVATE)
        .send(kept.find((snapshot) => snapshot.name === name));
    },
  );

  app.post(
    '/sandbox/snapshots/:snapshotName/restore',
    {
      config: writes,
      schema: {
        operationId: 'restoreSnapshot',
        summary: 'Restore a snapshot',
        description:
          'Makes the data what they were when the snapshot was kept, ids and all. What came since is gone.',
        tags,
        params: SnapshotParams,
        response: responses(
          {
            200: jsonResponse(
              Sandbox,
              'The sandbox as it is now.',
              { ...example, snapshots: 1 },
              CACHE_CONTROL,
            ),
          },
          { not_found: NO_SANDBOX },
        ),
      },
    },
    async (request, reply) => {
      const id = sandboxOfRequest(request).id;
      const name = nameIn(request.params);
      if ((await sandboxes.snapshots.restore(id, name)) === 'not_found') throw noSnapshot();
      return reply.headers(PRIVATE).send(await show(id));
    },
  );

  app.delete(
    '/sandbox/snapshots/:snapshotName',
    {
      config: writes,
      schema: {
        operationId: 'deleteSnapshot',
        summary: 'Delete a snapshot',
        description: 'Deletes a snapshot. The data of the sandbox stay as they are.',
        tags,
        params: SnapshotParams,
        response: responses({ 204: NO_CONTENT }, { not_found: NO_SANDBOX }),
      },
    },
    async (request, reply) => {
      const id = sandboxOfRequest(request).id;
      const name = nameIn(request.params);
      if ((await sandboxes.snapshots.remove(id, name)) === 'not_found') throw noSnapshot();
      return reply.code(204).send();
    },
  );

  done();
};

const PRIVATE = { 'cache-control': 'private, no-cache' };

function nameIn(params: unknown): string {
  const { snapshotName } = params as { snapshotName: unknown };
  if (typeof snapshotName === 'string' && isSnapshotName(snapshotName)) return snapshotName;
  throw noSnapshot();
}

function noSnapshot(): ApiError {
  return new ApiError('not_found', NO_SNAPSHOT);
}
