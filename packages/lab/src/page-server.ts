import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { UserError } from '@petstore/service/user-error.ts';
import type { LabControl } from './lab-control.ts';
import { isOwnHost, isOwnPage, listenLocally, PAGE_HEADERS, send } from './local-page.ts';
import { cardId, type LabFacts, page } from './page.ts';
import { readRecord } from './read-record.ts';

const MAX_BODY = 16_384;

/** The fields of a form or a command. */
type Fields = Readonly<Record<string, string | undefined>>;

/** Serves the lab's page to browsers, and JSON to its commands, on loopback. Rejects where the port is taken. */
export async function servePage(port: number, control: LabControl, facts: LabFacts) {
  const css = await readFile(new URL('lab.css', import.meta.url));
  const script = await readFile(new URL('lab.js', import.meta.url));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/' } = request;
    const [path, query] = url.split('?');
    const place = `${method} ${path}`;
    if (!isOwnHost(request)) {
      send(response, 421, 'text/plain', 'The lab is at 127.0.0.1.\n');
      return;
    }
    if (place === 'GET /')
      await show(response, 200, { open: new URLSearchParams(query).get('open') });
    else if (place === 'GET /lab.css') send(response, 200, 'text/css', css);
    else if (place === 'GET /lab.js') send(response, 200, 'text/javascript', script);
    else if (place === 'GET /zones') sendJson(response, 200, control.zones());
    else if (place === 'GET /domains') sendJson(response, 200, await control.domains());
    else if (method === 'POST') await change(request, response, place);
    else send(response, 404, 'text/plain', 'There is nothing here.\n');
  }

  async function change(
    request: IncomingMessage,
    response: ServerResponse,
    place: string,
  ): Promise<void> {
    const isCommand = request.headers['content-type'] === 'application/json';
    if (!isOwnPage(request)) {
      send(response, 403, 'text/plain', 'This comes from a page of another origin.\n');
      return;
    }
    try {
      const fields = await readFields(request, isCommand);
      const said = await carryOut(place, fields);
      if (isCommand) sendJson(response, 200, { said });
      else response.writeHead(303, { ...PAGE_HEADERS, location: placeOf(fields) }).end();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (isCommand) sendJson(response, 400, { message: error.message });
      else await show(response, 400, { refusal: error.message });
    }
  }

  async function carryOut(place: string, fields: Fields): Promise<string> {
    if (place === 'POST /scenario') {
      const { hostname = '', scenario = '', project } = fields;
      const choice = { hostname, scenario, ...(project ? { project } : {}) };
      const { scenario: done, project: of, others } = await control.applyScenario(choice);
      const whose =
        others.length === 0
          ? ''
          : `\nThat is with the records of the project ${of}. It is claimed by ${others.join(', ')}, too: choose with --project.`;
      return `${done.title}. Expect ${done.verdict}, ${done.expect}${whose}`;
    }
    const record = readRecord(fields);
    if (place === 'POST /records') control.addRecord(record);
    else if (place === 'POST /records/remove') control.removeRecord(record);
    else throw new UserError('There is nothing to do here.');
    return `${place.endsWith('remove') ? 'Gone' : 'There'}: ${record.name} ${record.type} ${record.value}`;
  }

  async function show(
    response: ServerResponse,
    status: number,
    how: { open?: string | null; refusal?: string },
  ): Promise<void> {
    const [domains, zones] = [await control.domains(), control.zones()];
    send(response, status, 'text/html; charset=utf-8', page({ facts, domains, zones, ...how }));
  }

  return listenLocally(port, (request, response) => {
    respond(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else send(response, 500, 'text/plain', `${error.message}\n`);
    });
  });
}

/** The anchor of the part of the page that a form has changed. */
function placeOf({ project, hostname }: Fields): string {
  if (project === undefined || hostname === undefined) return '/#zones';
  const id = encodeURIComponent(cardId(project, hostname));
  return `/?open=${id}#${id}`;
}

async function readFields(request: IncomingMessage, isJson: boolean): Promise<Fields> {
  if (Number(request.headers['content-length'] ?? MAX_BODY + 1) > MAX_BODY)
    throw new UserError(`The body must be at most ${MAX_BODY} bytes long.`);
  const body = await text(request);
  const fields: unknown = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, value]) => [name, String(value).trim()]),
  );
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, 'application/json', `${JSON.stringify(value)}\n`);
}
