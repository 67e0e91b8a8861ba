import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import { preferred } from '../http/accept.ts';
import type { Authentication } from '../http/admission/authentication.ts';
import { describeJson } from '../http/json-response.ts';
import {
  decodeCursor,
  encodeCursor,
  nextLink,
  pageParameters,
  readLimit,
  UNKNOWN_CURSOR,
} from '../http/pages.ts';
import { headerLines, responseOf } from '../http/service-response.ts';
import { INT64_MAX } from '../int64.ts';
import { covers } from '../keys/scope.ts';
import { CACHE_CONTROL, jsonResponse, responses } from '../openapi/responses.ts';
import type { EventLogs } from '../store/contract/event-logs.ts';
import { OWN_STORE } from '../store/own-store.ts';
import { Events, eventJson } from './event.ts';
import { type EventStreams, lostPosition } from './streams/event-streams.ts';
import { JSON_LINES, SERVER_SENT_EVENTS, type StreamFormat } from './streams/stream-format.ts';

const { limit, cursor } = pageParameters('events');
const ListEventsQuery = Type.Object({
  limit,
  cursor,
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 19,
      description:
        'The id of the last event that you have: those after it follow. `latest` is the newest one, so that only what ' +
        'is still to happen follows. A stream from there has its id in the header `Last-Event-ID`.',
      examples: ['42'],
    }),
  ),
});

const LastEventId = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      description:
        'The same as `after`: browsers send it when they connect to a stream anew. It counts before `after` and `cursor`.',
    }),
  ),
});

/** The media types of the response. The first is for whoever does not mind. */
const MEDIA_TYPES = [
  'application/json',
  'text/event-stream',
  'application/jsonl',
  'application/x-ndjson',
] as const;

const FORMATS: Partial<Record<(typeof MEDIA_TYPES)[number], StreamFormat>> = {
  'text/event-stream': SERVER_SENT_EVENTS,
  'application/jsonl': JSON_LINES,
  'application/x-ndjson': { ...JSON_LINES, mediaType: 'application/x-ndjson' },
};

const CACHE_LINE = headerLines(['cache-control', 'no-store', 'vary', 'accept']);

interface EventsDeps {
  readonly logs: EventLogs;
  readonly streams: EventStreams;
  readonly authentication: Authentication;
  /** The service's public address, ending in `/v1`. */
  readonly baseUrl: () => string;
}

export const eventsRoutes: FastifyPluginCallbackTypebox<EventsDeps> = (
  app,
  { logs, streams, authentication, baseUrl },
  done,
) => {
  const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
  const created = {
    ...{ id: '1', type: 'pet.created', createdAt: '2026-11-21T12:00:00.000Z' },
    data: rex,
  };
  const updated = {
    ...{ id: '2', type: 'pet.updated', createdAt: '2026-11-21T12:00:00.000Z' },
    data: { ...rex, status: 'sold' },
  };
  const listed = jsonResponse(Events, 'Events returned.', [created, updated], {
    ...CACHE_CONTROL,
    'Last-Event-ID': {
      description: 'On a stream from `latest`: the id of the newest event, after which it begins.',
      type: 'string',
    },
    Vary: { description: 'What the form of the response depends on.', type: 'string' },
    Link: {
      description: 'The next events (RFC 8288, `rel="next"`); absent after the newest one.',
      type: 'string',
      examples: [
        '<https://petstore.example.com/v1/events?limit=2&cursor=AQAAAAAAAAAC>; rel="next"',
      ],
    },
  });

  const jsonLines = {
    schema: Type.String({ description: 'A line for each Event.' }),
    example: JSON_LINES.write(stored('1', created)),
  };

  const isAllowed = (request: FastifyRequest) => async () => {
    try {
      const key = await authentication.keyOf(request.raw, () => request.ip);
      return covers(key.scopes, 'events:read');
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };

  app.get(
    '/events',
    {
      config: { scope: 'events:read', stability: 'experimental' },
      schema: {
        operationId: 'listEvents',
        summary: 'List or follow events',
        description:
          'Returns what happened to animals and orders, the oldest first. By `Accept` the same comes as a stream that ' +
          'goes on: `text/event-stream` for server-sent events, `application/jsonl` or `application/x-ndjson` for a ' +
          'line of JSON each.',
        tags: ['events'],
        querystring: ListEventsQuery,
        headers: LastEventId,
        response: responses(
          {
            200: {
              ...listed,
              content: {
                ...listed.content,
                'text/event-stream': {
                  schema: Type.String({ description: 'Server-sent events; `data` is an Event.' }),
                  example: SERVER_SENT_EVENTS.write(stored('1', created)),
                },
                'application/jsonl': jsonLines,
                'application/x-ndjson': jsonLines,
              },
            },
          },
          {
            invalid_request: 'limit must be an integer from 1 to 100.',
            invalid_cursor: UNKNOWN_CURSOR,
            events_expired:
              'The events 2 to 41 are no longer kept; the oldest is 42. Read the animals and orders anew, and then events from the oldest on.',
          },
        ),
      },
    },
    async (request, reply) => {
      const { query, headers, apiKey } = request;
      const store = apiKey.sandbox?.id ?? OWN_STORE;
      const log = logs.of(store);
      const format = FORMATS[preferred(headers.accept, MEDIA_TYPES)];
      const header = headers['last-event-id'];
      const position = header ? { after: `${header}` } : query;
      const after = await readPosition(position, async () => (await log.kept()).newest);
      const size = readLimit(query.limit);
      // One more than wanted, to see whether more follow. A stream begins as a page does: with an error where it must.
      const events = await log.list(after, size + 1);
      if (!Array.isArray(events)) throw lostPosition(after, events);
      const response = responseOf(reply);
      // Its client has left already, so nothing would say that its stream ends.
      if (response.closed || request.socket.destroyed) return reply.hijack();
      // Behind all that takes time: of many that come at once each counts those that were opened before it.
      if (format) streams.refuseTooMany(apiKey.id);
      reply.hijack();
      if (format) {
        const first = events[0];
        streams.open(response, {
          ...{ store, keyId: apiKey.id, format, isAllowed: isAllowed(request) },
          after: first ? first.id - 1n : after,
          tellsPosition: position.after === 'latest',
        });
        return;
      }
      const page = events.slice(0, size);
      const last = page.at(-1)?.id;
      const body = `[${page.map(eventJson).join(',')}]`;
      const { lines, encoding } = describeJson(body);
      const link =
        last !== undefined && events.length > size
          ? headerLines([
              'link',
              nextLink(`${baseUrl()}/events`, { limit: `${size}`, cursor: encodeCursor(last) }),
            ])
          : '';
      response.respond(200, lines + CACHE_LINE + link, body, encoding);
    },
  );

  done();
};

/** An example in the form in which events are stored. */
function stored(id: string, { type, data }: { type: string; data: object }) {
  const at = Date.parse('2026-11-21T12:00:00.000Z');
  return { id: BigInt(id), type: type as 'pet.created', at, data: JSON.stringify(data) };
}

/** The id after which events are wanted; 0 for the oldest. Throws ApiError. */
async function readPosition(
  { after, cursor }: { after?: string; cursor?: string },
  newest: () => Promise<bigint>,
): Promise<bigint> {
  if (after !== undefined && cursor !== undefined) {
    throw new ApiError('invalid_request', 'Send after or cursor, and not both.');
  }
  if (cursor !== undefined) {
    const id = decodeCursor(cursor);
    if (id >= 0n) return id;
  }
  if (after === undefined) return 0n;
  if (after === 'latest') return newest();
  const id = /^\d{1,19}$/.test(after) ? BigInt(after) : undefined;
  if (id !== undefined && id <= INT64_MAX) return id;
  throw new ApiError('invalid_request', 'after must be the id of an event, or latest.');
}
