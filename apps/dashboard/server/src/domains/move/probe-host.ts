import type { X509Certificate } from 'node:crypto';
import { isIPv6, connect as openSocket, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { withTimeout } from '@petstore/service/with-timeout.ts';

/** How long a host may take for each of: TLS, and the response. In milliseconds. */
const TIMEOUT_MS = 3_000;

/** Errors that tell of this machine's network, not of the host. */
const UNREACHABLE = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

export interface Probe {
  readonly address: string;
  /** What it serves over TLS for the name; undefined: nothing. */
  readonly certificate: X509Certificate | undefined;
  /** The status of its response, where it was asked for one. */
  readonly status: number | undefined;
  /** Why there is no certificate, or no response, in words. */
  readonly problem: string | undefined;
  /** Nobody there could be asked from this machine. */
  readonly isUnreachable: boolean;
}

interface Target {
  readonly hostname: string;
  /** Where the site is over TLS, and without it. */
  readonly httpsPort: number;
  readonly httpPort: number;
}

/** The certificate that a host serves for a name. Sends no request. Never rejects. */
export async function probeCertificate(address: string, target: Target): Promise<Probe> {
  return overTls(address, target, false);
}

/** The response of a host to a request for the start page: over TLS, or without it where it has none. Never rejects. */
export async function probeSite(address: string, target: Target): Promise<Probe> {
  const secure = await overTls(address, target, true);
  if (secure.certificate) return secure;
  const socket = openSocket({ host: address, port: target.httpPort });
  try {
    await within(once(socket, 'connect'));
    return { ...secure, ...(await headResponse(socket, target.hostname)) };
  } catch {
    return secure;
  } finally {
    socket.destroy();
  }
}

async function overTls(
  address: string,
  { hostname, httpsPort: port }: Target,
  wantsResponse: boolean,
): Promise<Probe> {
  const socket = connect({
    ...{ host: address, port, servername: hostname, ALPNProtocols: ['http/1.1'] },
    // What is served is wanted, whatever it is worth: nothing that comes over this connection is trusted.
    rejectUnauthorized: false,
  });
  const nothing = { address, certificate: undefined, status: undefined, problem: undefined };
  try {
    await within(once(socket, 'secureConnect'));
    const certificate = socket.getPeerX509Certificate();
    if (!certificate)
      return { ...nothing, problem: 'It shows no certificate.', isUnreachable: false };
    const shown = { ...nothing, certificate, isUnreachable: false };
    return wantsResponse ? { ...shown, ...(await headResponse(socket, hostname)) } : shown;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return {
      ...nothing,
      problem: explainConnectionError(error),
      isUnreachable: UNREACHABLE.includes(code),
    };
  } finally {
    socket.destroy();
  }

  function explainConnectionError(error: unknown): string {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error === TIMED_OUT) return 'It did not answer in time.';
    if (code === 'ECONNREFUSED') return `Nobody listens on port ${port} there.`;
    if (UNREACHABLE.includes(code ?? ''))
      return isIPv6(address)
        ? 'The dashboard’s machine has no IPv6.'
        : 'The dashboard’s machine cannot reach it.';
    if (code === 'ECONNRESET' || /disconnected/.test(message)) return 'It closed the connection.';
    return 'It does not speak TLS for this name.';
  }
}

/** The status of a response to HEAD. */
async function headResponse(socket: Socket, hostname: string) {
  socket.write(
    `HEAD / HTTP/1.1\r\nHost: ${hostname}\r\nUser-Agent: docs-dashboard\r\nConnection: close\r\n\r\n`,
  );
  try {
    const [bytes] = (await within(once(socket, 'data'))) as [Buffer];
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(bytes.toString('latin1', 0, 20))?.[1];
    if (status === undefined) return { problem: 'It does not speak HTTP.' };
    return { status: Number(status), problem: undefined };
  } catch {
    return { problem: 'It did not answer the request.' };
  }
}

const TIMED_OUT = new Error('timed out');

const within = <T>(work: Promise<T>): Promise<T> => withTimeout(work, TIMEOUT_MS, () => TIMED_OUT);

/** The next event of a socket. Rejects when it fails or closes before, and handles later errors. */
function once(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    socket.once(event, (...values) => resolve(values));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('disconnected')));
  });
}
