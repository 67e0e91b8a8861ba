import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import {
  BODY_FAILURES,
  jsonResponse,
  location,
  NO_CONTENT,
  responses,
  TAGGED,
} from '../openapi/responses.ts';
import { NO_SANDBOX, sandboxOfRequest } from '../sandboxes/sandbox-of-request.ts';
import { Ref } from '../schema-types.ts';
import { isOffered, type StabilityLevel } from '../stability.ts';
import type { FaultStore } from '../store/contract/fault-store.ts';
import { addRule, changeRules, TOO_MANY_RULES } from './change-rules.ts';
import { DELIVERY } from './event-faults.ts';
import { FaultRule, FaultRuleInput, FaultRuleInputs, FaultRules } from './fault-rule.ts';
import {
  countedRule,
  MAX_RULES,
  type FaultRule as Rule,
  readRule,
  readRules,
} from './fault-rules.ts';
import { FAULTS_MARK } from './faults.ts';

const example = {
  id: 'fault_0123456789abcdef',
  // It lets the first three requests pass.
  fault: 'status=503;rate=0.5;seed=5',
  operations: ['createPet'],
  from: 1,
  times: 10,
  requests: 3,
};

/** One that was just set. */
const setExample = { ...example, requests: 0 };

const PRIVATE = { 'cache-control': 'private, no-cache' };
const { 'Cache-Control': caching } = TAGGED;
const CACHING = { ...(caching && { 'Cache-Control': caching }) };

const BAD_RULE =
  'fault: status=700 is not right: status must be an error status, an integer from 400 to 599.';

const FAILURES = { not_found: NO_SANDBOX } as const;

interface FaultsRoutesDeps {
  readonly faults: FaultStore;
  /** The operations that can have faults, by their ids. */
  readonly operations: readonly string[];
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

/** The operations with which the rules of a sandbox are kept. */
export const faultsRoutes: FastifyPluginCallback<FaultsRoutesDeps> = (
  app,
  { faults, operations, baseUrl },
  done,
) => {
  const url = () => `${baseUrl()}/faults`;
  const config = (scope: 'pets:read' | 'pets:write') =>
    ({ scope, stability: FAULTS_MARK, takesNoFaults: true }) as const;
  // Bodies with lists in them are read by readRule.
  const validatorCompiler = () => () => true;

  /** The rules of a sandbox as they are sent. */
  const sent = async (sandbox: string, rules: readonly Rule[]) => {
    const counts = await faults.counts(sandbox);
    return rules.map((rule) => countedRule(rule, counts));
  };

  app.get(
    '/faults',
    {
      config: config('pets:read'),
      schema: {
        operationId: 'listFaults',
        summary: 'List the faults of a sandbox',
        description: 'Returns the rules by which requests with the key of the sandbox fail.',
        tags: ['sandboxes'],
        response: responses(
          { 200: jsonResponse(FaultRules, 'The rules, in their order.', [example], CACHING) },
          FAILURES,
        ),
      },
    },
    async (request, reply) => {
      const { id } = sandboxOfRequest(request);
      const rules = readRules(await faults.rules(id));
      return reply.headers(PRIVATE).send(await sent(id, rules));
    },
  );

  app.post(
    '/faults',
    {
      config: config('pets:write'),
      validatorCompiler,
      schema: {
        operationId: 'addFault',
        summary: 'Add a fault to a sandbox',
        description:
          'Adds a rule behind those that there are. A request takes what the first rule has for it. ' +
          'A `Petstore-Fault` of its own comes before all rules.',
        tags: ['sandboxes'],
        body: Ref(FaultRuleInput),
        response: responses(
          {
            201: jsonResponse(FaultRule, 'Rule added.', setExample, {
              ...CACHING,
              ...location('list', '/faults'),
            }),
          },
          { ...FAILURES, ...BODY_FAILURES, invalid_request: BAD_RULE, conflict: TOO_MANY_RULES },
        ),
      },
    },
    async (request, reply) => {
      const { id } = sandboxOfRequest(request);
      const rule = await addRule(faults, id, request.body, operations);
      const [body] = await sent(id, [rule]);
      return reply
        .code(201)
        .headers({ ...PRIVATE, location: url() })
        .send(body);
    },
  );

  app.put(
    '/faults',
    {
      config: config('pets:write'),
      validatorCompiler,
      schema: {
        operationId: 'setFaults',
        summary: 'Replace the faults of a sandbox',
        description:
          'Puts rules in the place of those that there are. All of them count requests from 1 again.',
        tags: ['sandboxes'],
        body: Ref(FaultRuleInputs),
        response: responses(
          { 200: jsonResponse(FaultRules, 'The rules as they are now.', [setExample], CACHING) },
          {
            ...FAILURES,
            ...BODY_FAILURES,
            invalid_json: 'The body is empty; it must be a JSON object.',
            invalid_request: `The body must be a JSON array of at most ${MAX_RULES} rules.`,
          },
        ),
      },
    },
    async (request, reply) => {
      const { id } = sandboxOfRequest(request);
      const { body } = request;
      if (!Array.isArray(body) || body.length > MAX_RULES) {
        const message = `The body must be a JSON array of at most ${MAX_RULES} rules.`;
        throw new ApiError('invalid_request', message);
      }
      const rules = body.map((rule, at) => readRule(rule, operations, `Rule ${at + 1}: `));
      await changeRules(faults, id, () => rules);
      return reply.headers(PRIVATE).send(await sent(id, rules));
    },
  );

  app.delete(
    '/faults',
    {
      config: config('pets:write'),
      schema: {
        operationId: 'clearFaults',
        summary: 'Remove the faults of a sandbox',
        description:
          'Deletes all rules. Only the faults that a Petstore-Fault header asks for still happen.',
        tags: ['sandboxes'],
        response: responses({ 204: NO_CONTENT }, FAILURES),
      },
    },
    async (request, reply) => {
      await changeRules(faults, sandboxOfRequest(request).id, () => []);
      return reply.code(204).send();
    },
  );

  done();
};

/** Collects the ids of the operations that are added from here on and can have faults, as far as they are offered. */
export function operationsWithFaults(
  app: FastifyInstance,
  level: StabilityLevel,
): readonly string[] {
  const operations: string[] = [DELIVERY];
  app.addHook('onRoute', ({ schema, config = {}, method }) => {
    const { operationId } = (schema ?? {}) as { operationId?: string };
    if (operationId === undefined || method === 'HEAD') return;
    if (!config.takesNoFaults && isOffered(config, level)) operations.push(operationId);
  });
  return operations;
}
