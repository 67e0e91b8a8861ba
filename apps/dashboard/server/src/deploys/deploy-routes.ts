import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import { checkPermission } from '../accounts/caller.ts';
import { invalidRequest } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { accessOf, callerOf, isStillAuthorized, reauthorize } from '../http/access.ts';
import { numericPosition, PageQuery, readPage, singlePage } from '../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { instant, OneOf, PageOf, ref } from '../schema-types.ts';
import { type LogRow, listDeploys, readLog } from '../store/deploys.ts';
import type { ProjectRow } from '../store/projects.ts';
import { shortMessage } from './artifact.ts';
import { checkBranch } from './branch-name.ts';
import { readReason } from './changes/confirmation-reason.ts';
import { readChanges } from './changes/read-changes.ts';
import { COMMIT_QUERY, type CommitQuery, lineOf, readCommit } from './commit/read-commit.ts';
import { decodeUpload, readCoding } from './decode-upload.ts';
import { Deploy, DeployChanges, DeploySummary, LogLine } from './deploy.ts';
import { activateDeploy, queueDeploy, readDeploy } from './deploys.ts';
import { presentDeploy, presentDeployDetails, readDeployView } from './present-deploy.ts';
import { uploadReceiver } from './receive-upload.ts';
import { readUpload, refuseDocumentPath } from './upload.ts';
import { checkVersion } from './versions/version-name.ts';

const operation = operationsOf('Deploys');

/** Accepted Content-Types; the first bytes decide the kind. */
const UPLOADS = Object.fromEntries(
  ['application/json', 'application/yaml', 'application/gzip', 'application/zip'].map((type) => [
    type,
    { schema: {} },
  ]),
);

/** Whoever may confirm deploys says with it that one may break clients. */
const AllowBreaking = Type.String({
  description:
    'Why it may break clients, where the project holds such deploys back. By an owner, for the audit log.',
  examples: ['Agreed with all who use it.'],
});

/** How long the message of a deploy is, in characters. */
const MAX_MESSAGE_LENGTH = 200;

/** Deploy numbers are 32-bit integers in PostgreSQL. */
const MAX_NUMBER = 2_147_483_647;

/** Deploys of a project: uploading, watching, putting live. `stopping`: aborted when the server stops; streams end then. */
export const deployRoutes: Routes<{ stopping: AbortSignal }> = async (app, { deps, stopping }) => {
  const { db, addresses, now } = deps;
  const { uploadBytes } = deps.config.deploys;
  const receiver = uploadReceiver(deps.spool, deps.uploadLimits, uploadBytes);

  app.get(
    '/projects/:slug/deploys',
    operation('deploy.read', 'listDeploys', 'List deploys, the newest first', {
      params: SlugParams,
      querystring: PageQuery,
      response: pageResponse(DeploySummary),
    }),
    async (request) => {
      const { project } = accessOf(request);
      const view = await readDeployView(db, project, now());
      return readPage(
        request.query,
        (after, limit) =>
          listDeploys(db, project.id, { before: numericPosition(after, MAX_NUMBER), limit }),
        ({ number }) => number,
        (row) => presentDeploy(row, project, addresses(), view),
      );
    },
  );

  app.get(
    '/projects/:slug/deploys/:id',
    operation('deploy.read', 'getDeploy', 'Get a deploy', {
      params: ItemParams,
      response: jsonResponse(200, Deploy),
    }),
    async (request) => {
      const { deploy, project, view } = await readDeploy(
        deps,
        accessOf(request).project,
        request.params.id,
      );
      return presentDeployDetails(deploy, project, addresses(), view);
    },
  );

  app.get(
    '/projects/:slug/deploys/:id/log',
    operation('deploy.read', 'getDeployLog', "Read or follow a deploy's log", {
      description:
        'With `Accept: text/event-stream`: events `log` (a line), `deploy` (at each change of state) and `end` (the deploy, finished); `Last-Event-ID` resumes. Ends without `end` when the right to read ends.',
      params: ItemParams,
      response: {
        200: {
          description: 'The lines so far, or all as they come.',
          content: {
            'application/json': { schema: PageOf(ref(LogLine)) },
            'text/event-stream': { schema: { type: 'string' } },
          },
        },
      },
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const { id } = request.params;
      const { accept = '', 'last-event-id': lastId = '0' } = request.headers;
      await readDeploy(deps, project, id);
      if (!accept.includes('text/event-stream')) {
        return singlePage((await readLog(db, id, 0)).map(presentLine));
      }
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const after = /^\d{1,9}$/.test(`${lastId}`) ? Number(lastId) : 0;
      const signal = AbortSignal.any([gone.signal, stopping]);
      reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      // A response to HEAD has no body that would end.
      if (request.method === 'HEAD') return reply.send('');
      const mayRead = () => isStillAuthorized(request, deps);
      const log = streamLog(deps, { project, deployId: id, after, signal, mayRead });
      return reply.send(Readable.from(log));
    },
  );

  app.get(
    '/projects/:slug/deploys/:id/changes',
    operation('deploy.read', 'getDeployChanges', 'List what a deploy changes in the API', {
      description:
        'Compared with what was live, when it was built, where it was going to be. 2,000 changes at most, the gravest first.',
      params: ItemParams,
      response: jsonResponse(200, DeployChanges),
    }),
    async (request, reply) => {
      const { project } = accessOf(request);
      const json = await readChanges(deps, project, request.params.id);
      return reply.type('application/json; charset=utf-8').send(json);
    },
  );

  app.post(
    '/projects/:slug/deploys/:id/activate',
    operation('deploy.activate', 'activateDeploy', 'Put a deploy live', {
      description: 'One that is held back is put live by an owner alone.',
      params: ItemParams,
      querystring: Type.Object({ 'allow-breaking': Type.Optional(AllowBreaking) }),
      response: jsonResponse(200, Deploy),
    }),
    async (request) => {
      const { project } = accessOf(request);
      const { id } = request.params;
      const reason = readReason(request.query['allow-breaking']);
      await activateDeploy(deps, project, id, callerOf(request), reason);
      const { deploy, project: current, view } = await readDeploy(deps, project, id);
      return presentDeployDetails(deploy, current, addresses(), view);
    },
  );

  // Every Content-Type is accepted; the first bytes decide the kind.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      '*',
      async (_request: FastifyRequest, body: IncomingMessage) => body,
    );
    uploads.post<{
      Params: { slug: string };
      Querystring: {
        activate?: 'true' | 'false';
        branch?: string;
        version?: string;
        strict?: 'true' | 'false';
        document?: string;
        message?: string;
        'allow-breaking'?: string;
      } & CommitQuery;
      Headers: { 'x-file-name'?: string };
      Body: IncomingMessage | undefined;
    }>(
      '/projects/:slug/deploys',
      operation('deploy.create', 'createDeploy', 'Deploy a document', {
        description:
          'The body is an OpenAPI document (JSON or YAML), or an archive with docs.yaml (.tar.gz or .zip), of as many bytes as `uploadLimits` of `GET /installation` says. It may have a `Content-Encoding`: gzip, br, zstd or deflate.',
        params: SlugParams,
        querystring: Type.Object({
          activate: Type.Optional(
            OneOf(['true', 'false'], { description: 'false: build it without putting it live.' }),
          ),
          branch: Type.Optional(
            Type.String({
              description:
                'Shows it at the lasting address of this branch and never puts it live. 1 to 100 characters.',
              examples: ['feature-x'],
            }),
          ),
          version: Type.Optional(
            Type.String({
              description:
                'The version of the site that it belongs to, which is below `/{version}`. 1 to 40 of a-z, 0-9, dots, dashes and underscores.',
              examples: ['v2'],
            }),
          ),
          strict: Type.Optional(
            OneOf(['true', 'false'], {
              description: "true: warnings make it fail, as the project's own setting does.",
            }),
          ),
          document: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description:
                'Of an archive without docs.yaml: the path of the OpenAPI document in it, such as `specs/openapi.yaml`. The other files are what it refers to.',
            }),
          ),
          message: Type.Optional(
            Type.String({
              description: `What the deploy is about: its first line is kept, up to ${MAX_MESSAGE_LENGTH} characters.`,
              examples: ['Pets have birthdays'],
            }),
          ),
          'allow-breaking': Type.Optional(AllowBreaking),
          ...COMMIT_QUERY,
        }),
        headers: Type.Object({
          'x-file-name': Type.Optional(
            Type.String({ maxLength: 1_000, description: 'For people; percent-encoded.' }),
          ),
        }),
        body: { content: UPLOADS },
        response: jsonResponse(202, Deploy, 'Queued.'),
      }),
      async (request, reply) => {
        const { project } = accessOf(request);
        const { activate, branch, version, strict, document } = request.query;
        const allowBreaking = readReason(request.query['allow-breaking']);
        if (allowBreaking !== undefined)
          checkPermission(accessOf(request), callerOf(request), 'deploy.confirm');
        const commit = readCommit(request.query);
        if (branch !== undefined) checkBranch(branch);
        if (version !== undefined) checkVersion(version);
        if (branch !== undefined && version !== undefined) {
          throw invalidRequest(
            'branch and version exclude each other: a deploy of a branch is a preview at an address of its own, and belongs to no version. Leave one of them out.',
          );
        }
        if (branch !== undefined && activate === 'true') {
          throw invalidRequest(
            'activate must not be true together with branch: a deploy of a branch never goes live.',
          );
        }
        const { user, actor } = callerOf(request);
        const coding = readCoding(request.headers['content-encoding']);
        let file =
          request.body && (await receiver.receive(request.body, user.id, announcedLength(request)));
        // Not in a hook: hooks do not run for a client that goes away before the response.
        try {
          if (file && coding) file = await decodeUpload(deps.spool, file, coding, uploadBytes);
          const upload = await readUpload(file, request.headers['x-file-name']);
          if (document !== undefined) refuseDocumentPath(document, upload);
          const options = {
            document,
            activate: activate !== 'false',
            branch,
            version,
            strict: strict === 'true' || project.strict === 1,
            commit,
            message: lineOf(request.query.message?.trim(), MAX_MESSAGE_LENGTH) ?? undefined,
            allowBreaking,
            admit: () => reauthorize(request, deps),
          };
          const deploy = await queueDeploy(deps, project, upload, options, actor);
          reply.header('location', `/api/projects/${project.slug}/deploys/${deploy.id}`);
          const view = await readDeployView(db, project, now());
          return presentDeployDetails(deploy, project, addresses(), view);
        } finally {
          if (file) await rm(file.path, { force: true });
        }
      },
    );
  });
};

function announcedLength({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** How often the store is polled for new lines, which another process may write. */
const POLL_MS = 250;

/** How often the right to read is checked while there is nothing to send. */
const RIGHTS_MS = 500;

/** An empty comment is sent this often, so that proxies do not close the stream. */
const HEARTBEAT_MS = 15_000;

function presentLine({ seq, at, level, message }: LogRow): LogLine {
  return { seq, at: instant(at), level, message: shortMessage(message) };
}

interface LogStream {
  readonly project: ProjectRow;
  readonly deployId: string;
  /** The number of the line after which to begin. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Whether the reader still has the right to read. */
  readonly mayRead: () => Promise<boolean>;
}

/**
 * A deploy's log as server-sent events, after the line `after`: `log` for each line, `deploy` for each state, and `end`
 * when the deploy has ended. Ends with the signal, and when the right to read is lost.
 */
async function* streamLog(
  deps: Pick<Deps, 'db' | 'addresses' | 'now'>,
  { project, deployId, after, signal, mayRead }: LogStream,
): AsyncGenerator<string> {
  const { db, addresses } = deps;
  let seq = after;
  let state = '';
  let beatAt = performance.now();
  let allowedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    // The deploy is read before its lines, so that an ended deploy has all of them.
    const current = await findCurrent(deps, project, deployId);
    if (!current) return;
    const rows = await readLog(db, deployId, seq);
    const deploy = presentDeployDetails(
      ...([current.deploy, current.project, addresses(), current.view] as const),
    );
    const isNews = rows.length > 0 || deploy.state !== state;
    if (isNews || performance.now() - allowedAt > RIGHTS_MS) {
      if (!(await mayRead())) return;
      allowedAt = performance.now();
    }
    for (const row of rows) {
      seq = row.seq;
      yield event('log', presentLine(row), `${seq}`);
    }
    if (deploy.state === 'succeeded' || deploy.state === 'failed') {
      yield event('end', deploy);
      return;
    }
    if (deploy.state !== state) {
      state = deploy.state;
      yield event('deploy', deploy);
    }
    if (performance.now() - beatAt > HEARTBEAT_MS) {
      beatAt = performance.now();
      yield ':\n\n';
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** undefined when the deploy is gone with its project. */
async function findCurrent(deps: Pick<Deps, 'db' | 'now'>, project: ProjectRow, deployId: string) {
  try {
    return await readDeploy(deps, project, deployId);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** WHATWG HTML, section 9.2: JSON has no line breaks, so its data is one line. */
function event(name: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
