import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { clientNetwork } from '@petstore/http/networks.ts';
import type { FastifyRequest } from 'fastify';
import { full, rateLimited } from '../http/api-error.ts';
import type { ActiveKey } from '../keys/key.ts';
import {
  CACHE_CONTROL,
  jsonResponse,
  OPTIONAL_BODY_FAILURES,
  responses,
} from '../openapi/responses.ts';
import { Ref } from '../schema-types.ts';
import type { SandboxRows } from '../store/contract/sandbox-rows.ts';
import { makeSandbox, sandboxCreated, shownOnce } from './make-sandbox.ts';
import { DEFAULT_TTL_SECONDS, SandboxInput, SandboxWithKey } from './sandbox.ts';

/** The time in which the sandboxes of one maker are counted. */
export const MAKER_WINDOW_MS = 3_600_000;

/** How long to wait where there are as many as there may be. They last for minutes to a day. */
const FULL_SECONDS = 60;

interface SandboxesDeps {
  readonly sandboxes: SandboxRows;
  /** Whether a sandbox can be had without a key. */
  readonly isOpen: boolean;
  /** Sandboxes that there may be at once. */
  readonly max: number;
  /** Those that one address, or one key, may make in an hour; 0 for no limit. */
  readonly perHour: number;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const example = {
  id: 'sbx_5f0c2a9be1d47386',
  key: 'pk_sand_00000000000000000000000000000000000000',
  seed: 200,
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2026-11-21T13:00:00.000Z',
};

export const sandboxesRoutes: FastifyPluginCallbackTypebox<SandboxesDeps> = (
  app,
  { sandboxes, isOpen, max, perHour, baseUrl, now },
  done,
) => {
  app.post(
    '/sandboxes',
    {
      config: {
        ...{ scope: 'pets:write', stability: 'experimental', takesNoFaults: true },
        isBodyOptional: true,
        givesKey: { credential: '/key', expiresAt: '/expiresAt' },
        isKeyOptional: isOpen,
      },
      schema: {
        operationId: 'createSandbox',
        summary: 'Get a sandbox',
        description:
          'Makes a store of your own, with data to try things on, and a key that opens nothing else. It ends by ' +
          'itself. The key works for every operation on animals, categories and orders. Without a body it is made as ' +
          'with `{}`.',
        tags: ['sandboxes'],
        body: Ref(SandboxInput),
        response: responses(
          {
            201: jsonResponse(SandboxWithKey, 'Sandbox made.', example, {
              ...CACHE_CONTROL,
              Location: {
                description: 'The address of the sandbox, for its key alone.',
                type: 'string',
                format: 'uri',
                examples: ['https://petstore.example.com/v1/sandbox'],
              },
            }),
          },
          {
            ...OPTIONAL_BODY_FAILURES,
            invalid_request: 'ttl must be an integer from 60 to 86400.',
            ...(isOpen && {
              unauthorized: 'The Authorization header must read: Bearer <API_KEY>.',
            }),
          },
        ),
      },
    },
    async (request, reply) => {
      const { ttl = DEFAULT_TTL_SECONDS, seed, pets, name } = request.body;
      const at = now();
      const madeBy = makerOf(request);
      const made = makeSandbox({
        ...{ now: new Date(at), ttlSeconds: ttl, seed, pets, name, madeBy },
      });
      const outcome = await sandboxes.add(
        made.row,
        {
          total: max,
          ofMaker:
            perHour > 0 ? { since: new Date(at - MAKER_WINDOW_MS), count: perHour } : undefined,
        },
        // Those that nobody answers for would fill the log, which is never cut.
        request.apiKey && sandboxCreated(made.row),
      );
      if (outcome === 'too_many') throw full('The limit of sandboxes is reached.', FULL_SECONDS);
      if (outcome !== 'added') {
        const freeAt = outcome.countedFrom.getTime() + MAKER_WINDOW_MS;
        throw rateLimited(
          `This ${request.apiKey ? 'API key' : 'address'} has made ${perHour} sandboxes within an hour.`,
          Math.max(1, Math.ceil((freeAt - at) / 1_000)),
        );
      }
      return reply
        .code(201)
        .headers({ location: `${baseUrl()}/sandbox`, 'cache-control': 'no-store' })
        .send(shownOnce(made));
    },
  );

  done();
};

/** Who makes a sandbox: the key of the request, or the network that it comes from. */
function makerOf(request: FastifyRequest): string {
  const key: ActiveKey | undefined = request.apiKey;
  if (!key) return clientNetwork(request.ip);
  if (!key.sandbox) return key.id;
  throw new ApiError('forbidden', 'The key of a sandbox makes no further ones.');
}
