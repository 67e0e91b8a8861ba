import { followEvents } from '@petstore/client/events.ts';
import { interruption } from '@petstore/service/interruption.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Command, Option } from 'commander';
import { EVENT_TYPES } from '../events/event.ts';
import { errorMessageOf, noService, serviceUrl, URL_OPTION } from './service-client.ts';
import { subcommand } from './subcommand.ts';
import { writeToStdout } from './write-fully.ts';

interface EventsOptions {
  readonly url?: string;
  readonly follow?: boolean;
  readonly after?: string;
  readonly type?: readonly string[];
  readonly json?: boolean;
}

/** An event, and the line of JSON that it came in, which has every digit. */
interface Line {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly json: string;
}

export function eventsCommand(): Command {
  return subcommand('events')
    .description('Show what happened to animals and orders, an event a line.')
    .option('--follow', 'keep printing new events as they happen, until Ctrl-C')
    .option('--after <id>', 'only what comes after this event; latest: after the newest')
    .addOption(new Option('--type <type...>', 'only events of these types').choices(EVENT_TYPES))
    .option('--json', 'print JSON lines: each event as the service sends it')
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      `
The key is read from the variable PETSTORE_KEY. It needs the scope events:read;
the keys of sandboxes have it. Where a connection breaks, --follow connects
anew, and goes on behind the last event.`,
    )
    .action(showEvents);
}

async function showEvents({ follow, type, json, ...options }: EventsOptions): Promise<void> {
  const signal = interruption();
  const events = follow ? followFrom(options, signal) : pagesFrom(options, signal);
  for await (const event of events) {
    if (type && !type.includes(event.type)) continue;
    await writeToStdout(`${json ? event.json : forPeople(event)}\n`);
  }
}

function forPeople({ id, type, createdAt, json }: Line): string {
  const data = json.slice(json.indexOf('"data":') + '"data":'.length, -1);
  return `${id}  ${createdAt}  ${type.padEnd(15)}  ${data}`;
}

function readLine(json: string): Line {
  const { id, type, createdAt } = JSON.parse(json) as Line;
  return { id, type, createdAt, json };
}

interface Place {
  readonly url?: string;
  readonly after?: string | undefined;
}

/** The events that there are. */
async function* pagesFrom(place: Place, signal: AbortSignal): AsyncGenerator<Line> {
  for (let { after } = place; !signal.aborted; ) {
    const response = await ask({ ...place, after }, 'application/json', signal);
    const page = JSON.parse(await response.text(), withDigits) as object[];
    const lines = page.map((event) => readLine(JSON.stringify(event)));
    yield* lines;
    if (!response.headers.has('link')) return;
    after = lines.at(-1)?.id;
  }
}

/** Keeps every digit of a number. */
function withDigits(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}

/** The events that there are, and those that follow. */
function followFrom(place: Place, signal: AbortSignal): AsyncIterable<Line> {
  let isConnected = false;
  const connect = async (after: string | undefined, ends: AbortSignal) => {
    const response = await ask({ ...place, after }, 'application/jsonl', ends);
    isConnected = true;
    return response;
  };
  // A service that was never there will not come back.
  const isFinal = (error: unknown) =>
    error instanceof RefusedError ? error.isFinal : !isConnected;
  const events = followEvents(
    { connect, isFinal, parse: readLine },
    { signal, ...(place.after !== undefined && { after: place.after }) },
  );
  return events as AsyncIterable<unknown> as AsyncIterable<Line>;
}

/** A response that is an error, as its sentence. */
class RefusedError extends UserError {
  /** Whether it will be the same the next time. */
  readonly isFinal: boolean;

  constructor(message: string, status: number) {
    super(message);
    this.isFinal = status < 500 && status !== 429;
  }
}

/** Asks a service for events after a place. Throws UserError. */
async function ask({ url, after }: Place, accept: string, signal: AbortSignal): Promise<Response> {
  const address = serviceUrl(url);
  const query = new URLSearchParams({ limit: '100', ...(after !== undefined && { after }) });
  let response: Response;
  try {
    response = await fetch(`${address}/events?${query}`, {
      headers: { authorization: `Bearer ${keyOfPerson()}`, accept },
      redirect: 'error',
      signal,
    });
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw noService(address, error);
  }
  if (response.ok) return response;
  throw new RefusedError(errorMessageOf(response.status, await response.text()), response.status);
}

/** The key in PETSTORE_KEY. Throws UserError where there is none. */
function keyOfPerson(): string {
  const { PETSTORE_KEY: key = '' } = process.env;
  if (/^\w+$/.test(key)) return key;
  throw new UserError('PETSTORE_KEY must be an API key: export PETSTORE_KEY=pk_live_…');
}
