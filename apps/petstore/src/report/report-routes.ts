import { setTimeout } from 'node:timers/promises';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readRule, readRules, rulesText } from '../faults/fault-rules.ts';
import { preferred } from '../http/accept.ts';
import { sendPage } from '../openapi/reference/text-page.ts';
import { jsonResponse, type ResponseObject, responses } from '../openapi/responses.ts';
import { NO_SANDBOX, sandboxOfRequest } from '../sandboxes/sandbox-of-request.ts';
import type { Named } from '../schema-types.ts';
import type { FaultStore } from '../store/contract/fault-store.ts';
import type { ReportStore } from '../store/contract/report-store.ts';
import type { Store } from '../store/store.ts';
import { StoreGoneError } from '../store/store-errors.ts';
import { badge } from './badge.ts';
import type { ChallengeRun } from './challenge-run.ts';
import type { ChallengeFault } from './challenges/challenge.ts';
import { challengeJson, runJson } from './challenges/challenge-json.ts';
import { CHALLENGES, challengeOf } from './challenges/challenges.ts';
import type { probeWebhooks } from './challenges/webhook-probes.ts';
import type { RecordedDelivery } from './recorded-request.ts';
import { type Recorder, WRITE_AFTER_MS } from './recorder.ts';
import { type Report, reportJson } from './report.ts';
import {
  exampleChallenges,
  exampleEnded,
  exampleReport,
  exampleRun,
  exampleVerdict,
} from './report-examples.ts';
import { reportJunit } from './report-junit.ts';
import { REPORT_STYLE, reportPage, reportTitle } from './report-page.ts';
import {
  ChallengeBodies,
  ChallengeRunBody,
  ChallengeVerdict,
  ClientReport,
} from './report-schemas.ts';
import { Reports } from './reports.ts';

interface ReportRoutesDeps {
  readonly store: Store;
  readonly recorder: Recorder;
  /** The operations that can have faults, by their ids. */
  readonly operations: readonly string[];
  /** Whether webhooks may lead to private addresses. */
  readonly allowsPrivate: boolean;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const config = { scope: 'pets:read', stability: 'experimental', takesNoFaults: true } as const;

const TAGS = ['report'];
const CHALLENGES_TAG = ['challenges'];

const FORMS =
  'As JSON, or by `Accept` as JUnit XML (`application/xml`), as a page (`text/html`), or as a badge (`image/svg+xml`).';

/** Headers of a response that is another one the next time. */
const NOT_STORED = {
  'Cache-Control': { description: '`no-store`: nobody stores it.', type: 'string' },
} as const;

/** The same of one that has several forms. */
const NOT_STORED_AS = {
  ...NOT_STORED,
  Vary: { description: '`accept`: the form depends on it.', type: 'string' },
} as const;

/** The response of an operation that gives a report: JSON, and the forms of it beside. */
function reportResponse(schema: Named, description: string, example: object): ResponseObject {
  const json = jsonResponse(schema, description, example, NOT_STORED_AS);
  const form = (what: string) => ({ schema: Type.String({ description: what }) });
  return {
    ...json,
    content: {
      ...json.content,
      'application/xml': form(
        'JUnit XML: each rule is a test, and one that was not seen is skipped.',
      ),
      'text/html': form('A page to read and to print.'),
      'image/svg+xml': form('A badge: `passed`, or which rule broke at which request.'),
    },
  };
}

const NO_RUN =
  'No challenge was started in this sandbox: POST /challenges/{code}/start, or petstore challenge start.';

const Seed = Type.Object({
  seed: Type.Optional(
    Type.Integer({
      description: 'With the same seed the same goes wrong.',
      minimum: 0,
      maximum: 999_999_999,
      default: 1,
    }),
  ),
});

const CodeParams = Type.Object({
  code: Type.String({ description: 'The code of a challenge.', examples: ['big-ids'] }),
});

/** The report on the client of a sandbox, and challenges for it. */
export const reportRoutes: FastifyPluginCallbackTypebox<ReportRoutesDeps> = (app, deps, done) => {
  const { recorder, operations, allowsPrivate, stopping, now } = deps;
  const { reports: store, sandboxes, faults } = deps.store;
  const reports = new Reports({ store, recorder, now });
  const setFaults = (sandbox: string, wanted: readonly ChallengeFault[]) =>
    replaceFaults(faults, sandbox, wanted, operations);

  app.get(
    '/report',
    {
      config,
      schema: {
        operationId: 'getReport',
        summary: 'See how the client behaved',
        description: `Judges what was asked for with the key of this sandbox, rule by rule, with the requests as evidence. ${FORMS}`,
        tags: TAGS,
        response: responses(
          { 200: reportResponse(ClientReport, 'The report.', exampleReport) },
          { not_found: NO_SANDBOX },
        ),
      },
    },
    async (request, reply) =>
      send(request, reply, await reports.report(sandboxOfRequest(request).id)),
  );

  app.get(
    '/challenges',
    {
      config,
      schema: {
        operationId: 'listChallenges',
        summary: 'List the challenges',
        description: 'Each gives a client something to do in a sandbox that makes it hard.',
        tags: CHALLENGES_TAG,
        response: responses(
          { 200: jsonResponse(ChallengeBodies, 'Every challenge.', exampleChallenges, NOT_STORED) },
          {},
        ),
      },
    },
    async (request, reply) => {
      const { sandbox } = request.apiKey;
      const run = sandbox && (await store.run(sandbox.id));
      return reply
        .header('cache-control', 'no-store')
        .send(CHALLENGES.map((one) => challengeJson(one, run)));
    },
  );

  app.post(
    '/challenges/:code/start',
    {
      config: { ...config, scope: 'pets:write' },
      schema: {
        operationId: 'startChallenge',
        summary: 'Start a challenge',
        description:
          'Resets the sandbox, replaces its fault rules by those of the challenge, and judges the requests from now on. ' +
          'Snapshots stay.',
        tags: CHALLENGES_TAG,
        params: CodeParams,
        querystring: Seed,
        response: responses(
          { 201: jsonResponse(ChallengeRunBody, 'The challenge was started.', exampleRun) },
          {
            not_found: noChallenge('big-id').message,
            invalid_request: 'seed must be an integer from 0 to 999999999.',
          },
        ),
      },
    },
    async (request, reply) => {
      const sandbox = sandboxOfRequest(request).id;
      const code = String(request.params.code);
      const challenge = CHALLENGES.find((one) => one.code === code);
      if (!challenge) throw noChallenge(code);
      const { seed = 1 } = request.query;
      await setFaults(sandbox, []);
      if (!(await sandboxes.reset(sandbox))) throw new StoreGoneError();
      await challenge.prepare(request.store, seed);
      await setFaults(sandbox, challenge.faults(seed));
      const after = await reports.lastNumber(sandbox);
      const run: ChallengeRun = { code, seed, startedAt: now(), after };
      await keep(store, sandbox, run);
      return reply.code(201).send(runJson(challenge, run));
    },
  );

  app.get(
    '/challenges/verdict',
    {
      config,
      schema: {
        operationId: 'getChallengeVerdict',
        summary: 'See how the challenge goes',
        description: `Judges what the client has done since the challenge was started. ${FORMS}`,
        tags: CHALLENGES_TAG,
        response: responses(
          { 200: reportResponse(ChallengeVerdict, 'How it goes.', exampleVerdict) },
          { not_found: NO_RUN },
        ),
      },
    },
    async (request, reply) => {
      const sandbox = sandboxOfRequest(request).id;
      const run = await runOf(store, sandbox);
      return send(request, reply, await reports.verdict(sandbox, run, request.store));
    },
  );

  app.post(
    '/challenges/verdict',
    {
      config: { ...config, scope: 'pets:write' },
      schema: {
        operationId: 'endChallenge',
        summary: 'End the challenge',
        description: `The client is done: nothing goes wrong any more, and what it left out counts. ${FORMS}`,
        tags: CHALLENGES_TAG,
        response: responses(
          {
            200: reportResponse(ChallengeVerdict, 'The verdict.', exampleEnded),
          },
          { not_found: NO_RUN },
        ),
      },
    },
    async (request, reply) => {
      const sandbox = sandboxOfRequest(request).id;
      const run = await runOf(store, sandbox);
      let ended = run;
      if (run.endedAt === undefined) {
        await setFaults(sandbox, []);
        const probes = { store: deps.store, allowsPrivate, stopping };
        const { triesWebhooks } = challengeOf(run.code);
        const deliveries = triesWebhooks ? await tried(probes, sandbox) : [];
        const endedAt = now();
        // Other processes may have requests that they have not written yet.
        await setTimeout(2 * WRITE_AFTER_MS, undefined, { signal: stopping }).catch(
          () => undefined,
        );
        const until = await reports.lastNumber(sandbox);
        ended = { ...run, endedAt, until, ...(deliveries.length > 0 && { deliveries }) };
        await keep(store, sandbox, ended);
      }
      return send(request, reply, await reports.verdict(sandbox, ended, request.store));
    },
  );

  done();
};

/** How often it is tried to replace rules that others change meanwhile. */
const MAX_TRIES = 10;

/** Puts the faults of a challenge in the place of a sandbox's rules. They count requests from 1. */
async function replaceFaults(
  faults: FaultStore,
  sandbox: string,
  wanted: readonly ChallengeFault[],
  operations: readonly string[],
): Promise<void> {
  const text = rulesText(wanted.map((fault) => readRule(fault, operations)));
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await faults.rules(sandbox);
    const forgotten = readRules(before).map(({ id }) => id);
    if (await faults.replaceRules(sandbox, before, text, forgotten)) return;
  }
  throw new ApiError('conflict', 'Other requests changed the faults each time. Try again.');
}

/** Loaded when it is needed: what signs is large. */
async function tried(...args: Parameters<typeof probeWebhooks>): Promise<RecordedDelivery[]> {
  const { probeWebhooks } = await import('./challenges/webhook-probes.ts');
  return probeWebhooks(...args);
}

async function runOf(store: ReportStore, sandbox: string): Promise<ChallengeRun> {
  const run = await store.run(sandbox);
  if (!run) throw new ApiError('not_found', NO_RUN);
  return run;
}

async function keep(store: ReportStore, sandbox: string, run: ChallengeRun): Promise<void> {
  if (await store.keepRun(sandbox, run)) return;
  throw new StoreGoneError();
}

function noChallenge(code: string): ApiError {
  const codes = CHALLENGES.map((one) => one.code).join(', ');
  return new ApiError(
    'not_found',
    `There is no challenge ${code.slice(0, 40)}; there are ${codes}.`,
  );
}

const TYPES = [
  'application/json',
  'application/xml',
  'text/xml',
  'text/html',
  'image/svg+xml',
] as const;

function send(request: FastifyRequest, reply: FastifyReply, report: Report): FastifyReply {
  reply.header('cache-control', 'no-store').header('vary', 'accept');
  switch (preferred(request.headers.accept, TYPES)) {
    case 'application/xml':
    case 'text/xml':
      return reply.type('application/xml; charset=utf-8').send(reportJunit(report));
    case 'text/html':
      return sendPage(reply, reportTitle(report), reportPage(report), REPORT_STYLE);
    case 'image/svg+xml':
      return reply.type('image/svg+xml').send(badge(report));
    default:
      return reply.send(reportJson(report));
  }
}
