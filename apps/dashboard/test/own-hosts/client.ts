import { once } from 'node:events';
import { type RequestOptions, request as requestPlain } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Where it differs from the name in Host. */
  readonly serverName?: string;
}

/** A browser of a machine whose resolver sends every name to one address. */
export function client(address: string, ports: { http: number; https: number }, ca: string) {
  const ask = async (
    isTls: boolean,
    host: string,
    path: string,
    { method = 'GET', headers = {}, body, serverName = host }: Question = {},
  ): Promise<Asked> => {
    const port = isTls ? ports.https : ports.http;
    const options: RequestOptions = {
      ...{ host: address, port, path, method, agent: false },
      headers: { host: `${host}:${port}`, ...headers },
    };
    const asked = isTls
      ? requestTls({ ...options, servername: serverName, ca })
      : requestPlain(options);
    asked.end(body);
    const [response] = await once(asked, 'response');
    const status: number = response.statusCode;
    return { status, headers: response.headers, body: await text(response) };
  };
  return {
    plain: (host: string, path: string, question?: Question) => ask(false, host, path, question),
    secure: (host: string, path: string, question?: Question) => ask(true, host, path, question),
    /** A connection over HTTP/2, made by a name. `localAddress`: where it comes from. */
    async http2(host: string, localAddress?: string): Promise<ClientHttp2Session> {
      const session = connect(`https://${host}:${ports.https}`, {
        ca,
        // As tls.connect takes it.
        ...(localAddress !== undefined && { localAddress }),
        lookup: (_name, { all }, done) =>
          all ? done(null, [{ address, family: 4 }]) : done(null, address, 4),
      });
      await once(session, 'connect');
      return session;
    },
  };
}

/** A request over HTTP/2. */
export async function askHttp2(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Asked> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [received] = await once(stream, 'response');
  return { status: received[':status'], headers: received, body: await text(stream) };
}
