import { ApiError } from '@petstore/http/errors.ts';
import { boundLingeringBody } from '@petstore/http/lingering.ts';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { responseOf, type ServiceResponse } from '../http/service-response.ts';
import type { SandboxRef } from '../keys/key.ts';
import type { FaultStore } from '../store/contract/fault-store.ts';
import type { ResourceStore } from '../store/store.ts';
import { FaultFieldError } from './fault-field.ts';
import { FAULT_HEADER } from './fault-headers.ts';
import { readFaults } from './fault-kinds.ts';
import { isDrawn, type Plan, planOf } from './fault-plan.ts';
import { planByRules, readRules, rulesFor } from './fault-rules.ts';
import { type FinishedResponse, holdBack } from './finished-response.ts';
import { injectedError } from './injected-error.ts';
import { beginStream, onTurn, sendFaulty } from './send-faulty.ts';
import { MAX_WAITING_PER_SANDBOX, Waits } from './waits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Nothing of it fails on request: it is how a sandbox itself is looked after. */
    takesNoFaults?: boolean;
  }
}

/** The counter of requests with the header. */
const HEADER_COUNTER = 'header';

/** Their mark in the document. */
export const FAULTS_MARK = 'experimental';

interface FaultsDeps {
  readonly store: FaultStore;
  /** The store of a sandbox whose lists do not show its last changes. */
  readonly staleStore: (sandbox: string, changes: number) => ResourceStore;
  /** How many requests of all sandboxes may wait for their faults. */
  readonly maxWaiting: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * What goes wrong on request, for keys of sandboxes alone: by the `Petstore-Fault` of a request, and where it has none,
 * by the rules that are kept for its sandbox. It happens at the edge: the handlers and the store know nothing of it.
 */
export class FaultInjector {
  readonly #deps: FaultsDeps;
  readonly #waits: Waits;
  readonly #applied = new WeakMap<ServiceResponse, string>();

  constructor(deps: FaultsDeps) {
    this.#deps = deps;
    this.#waits = new Waits(deps.maxWaiting);
  }

  /** Ends what waits, as the service stops. */
  close(): void {
    this.#waits.close();
  }

  /** The faults that a response was sent with, or instead of one, as in `Petstore-Fault-Applied`. */
  appliedTo(response: ServiceResponse): string | undefined {
    return this.#applied.get(response);
  }

  /** Comes behind admission. Throws ApiError `invalid_request` for a header that is not right or not allowed. */
  get hook(): onRequestHookHandler {
    const fail = this.#fail.bind(this);
    return function failOnRequest(request, reply, done) {
      const hasRules = request.apiKey?.sandbox?.faults !== undefined;
      const isMeant = hasRules || request.headers[FAULT_HEADER] !== undefined;
      if (!isMeant || request.route.config.takesNoFaults) {
        done();
        return;
      }
      fail(request, reply).then((goesOn) => {
        if (goesOn) done();
      }, done);
    };
  }

  /** Applies the faults that come before the handler. Resolves with whether the handler is to run. */
  async #fail(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { sandbox } = request.apiKey;
    if (!sandbox) throw new ApiError('invalid_request', NEEDS_SANDBOX_KEY);
    const header = request.headers[FAULT_HEADER];
    const plan = await (header === undefined
      ? this.#planByRules(request, sandbox)
      : this.#planByHeader(String(header), sandbox.id));
    return plan ? this.#begin(plan, request, reply, sandbox.id) : true;
  }

  async #planByHeader(header: string, sandbox: string): Promise<Plan | undefined> {
    const groups = readHeader(header);
    if (!isDrawn(groups)) return planOf(groups, 0);
    const numbers = await this.#deps.store.count(sandbox, [HEADER_COUNTER]);
    return planOf(groups, numbers.get(HEADER_COUNTER) ?? 0);
  }

  async #planByRules(
    { route }: FastifyRequest,
    { id, faults }: SandboxRef,
  ): Promise<Plan | undefined> {
    const rules = rulesFor(readRules(faults), operationOf(route));
    if (rules.length === 0) return undefined;
    const counters = rules.map(({ id }) => id);
    return planByRules(rules, await this.#deps.store.count(id, counters));
  }

  /** Begins a plan: what comes before the request is carried out, and what its response will meet. As #fail. */
  async #begin(
    plan: Plan,
    request: FastifyRequest,
    reply: FastifyReply,
    sandbox: string,
  ): Promise<boolean> {
    const { now } = this.#deps;
    const response = responseOf(reply);
    const isWaiting = plan.latencyMs || plan.slow || (plan.length ?? 0) > 0;
    const leave = isWaiting ? this.#waits.enter(sandbox, response) : () => {};
    if (!leave) throw tooManyWait();
    if (isWaiting) response.hasFault = true;
    const deps = {
      plan,
      waits: this.#waits,
      deprecation: request.route.config.deprecation,
      now,
      onApplied: (applied: string) => {
        this.#applied.set(response, applied);
        if (applied) response.hasFault = true;
      },
    };
    const send = (finished: FinishedResponse) => {
      // The framework would send the response of a handler again that has not ended when the handler has.
      reply.hijack();
      sendFaulty(response, finished, deps).catch((error) => {
        request.log.error({ err: error }, 'a response could not be sent with its faults');
        response.destroy();
      });
    };
    const isBefore = plan.when !== 'after';
    if (isBefore && plan.latencyMs) await this.#waits.wait(plan.latencyMs, response);
    if (plan.reset === 'before') {
      reply.hijack();
      deps.onApplied('reset=before');
      onTurn(response, resetConnection);
      return false;
    }
    if (isBefore && plan.status !== undefined) {
      boundLingeringBody(request.raw, response);
      send(injectedError(plan, plan.status, now()));
      return false;
    }
    if (plan.stale) request.store = this.#deps.staleStore(sandbox, plan.stale);
    holdBack(response, send, (headers) => {
      leave();
      return beginStream(headers, plan, deps.onApplied);
    });
    return true;
  }
}

const NEEDS_SANDBOX_KEY =
  "Petstore-Fault is for the keys of sandboxes, which begin with pk_sand_: leave it out, or send a sandbox's key.";

function readHeader(text: string) {
  try {
    return readFaults(text);
  } catch (error) {
    if (!(error instanceof FaultFieldError)) throw error;
    throw new ApiError('invalid_request', `Petstore-Fault: ${error.message}.`);
  }
}

function tooManyWait(): ApiError {
  const message =
    'Too many requests wait for their faults. ' +
    `At most ${MAX_WAITING_PER_SANDBOX} of a sandbox may at the same time. Try again shortly.`;
  return new ApiError('unavailable', message, { headers: { 'retry-after': '1' } });
}

/** The operation of a route, as the document names it. */
function operationOf({ schema }: FastifyRequest['route']): string {
  return (schema as { operationId?: string } | undefined)?.operationId ?? '';
}
