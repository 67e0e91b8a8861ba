import { hash } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { get } from 'node:http';
import { connect } from 'node:tls';
import { AcmeProblem } from './acme-problem.ts';
import { X509Certificate } from './x509.ts';

const TIMEOUT_MS = 3_000;

/** id-pe-acmeIdentifier, RFC 8737, section 6.1. */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';

export type ChallengeType = 'http-01' | 'tls-alpn-01' | 'dns-01';

export interface ValidationRequest {
  readonly hostname: string;
  readonly type: ChallengeType;
  readonly token: string;
  readonly keyAuthorization: string;
}

export interface ValidationOptions {
  /** Used for HTTP-01 instead of port 80. */
  readonly httpPort: number;
  /** Used for TLS-ALPN-01 instead of port 443. */
  readonly tlsPort: number;
  /** The name server for look-ups, as `ip:port`. */
  readonly nameServer: string;
  /** How long a host and the name server may take to respond, in milliseconds; by default 3 s. */
  readonly timeoutMs?: number;
}

/** Checks whether a host has the response to a challenge. Rejects with the AcmeProblem that says why not. */
export async function validate(
  request: ValidationRequest,
  options: ValidationOptions,
): Promise<void> {
  const resolver = resolverOf(options);
  if (request.type === 'dns-01') return checkDns(request, resolver);
  const address = await addressOf(resolver, request.hostname);
  if (request.type === 'http-01') await checkHttp(request, address, options);
  else await checkTls(request, address, options);
}

function resolverOf({ nameServer, timeoutMs = TIMEOUT_MS }: ValidationOptions): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([nameServer]);
  return resolver;
}

async function addressOf(resolver: Resolver, hostname: string): Promise<string> {
  const lookUps = await Promise.allSettled([
    resolver.resolve6(hostname),
    resolver.resolve4(hostname),
  ]);
  for (const lookUp of lookUps) {
    if (lookUp.status === 'fulfilled' && lookUp.value[0]) return lookUp.value[0];
  }
  const why = lookUps.map((lookUp) => (lookUp.status === 'rejected' ? lookUp.reason.code : 'none'));
  throw new AcmeProblem('dns', `No valid IP addresses found for ${hostname} (${why.join(', ')})`);
}

/** RFC 8555, section 8.4. */
async function checkDns(
  { hostname, keyAuthorization }: ValidationRequest,
  resolver: Resolver,
): Promise<void> {
  const name = `_acme-challenge.${hostname}`;
  const texts = await resolver.resolveTxt(name).catch(({ code }) => {
    throw new AcmeProblem('dns', `No TXT records found for DNS challenge at ${name} (${code})`);
  });
  const expected = hash('sha256', keyAuthorization, 'base64url');
  if (texts.some((parts) => parts.join('') === expected)) return;
  throw new AcmeProblem('unauthorized', `Correct value not found for DNS challenge at ${name}`);
}

/** RFC 8555, section 8.3. */
async function checkHttp(
  request: ValidationRequest,
  address: string,
  options: ValidationOptions,
): Promise<void> {
  const { hostname, token, keyAuthorization } = request;
  const path = `/.well-known/acme-challenge/${token}`;
  const { status, body } = await fetched(hostname, address, path, options);
  if (status !== 200) {
    const detail = `${address}: Invalid response from http://${hostname}${path}: ${status}`;
    throw new AcmeProblem('unauthorized', detail);
  }
  if (body.trimEnd() !== keyAuthorization) {
    const detail = `${address}: The key authorization file from the server did not match this challenge`;
    throw new AcmeProblem('unauthorized', detail);
  }
}

function fetched(
  hostname: string,
  address: string,
  path: string,
  { httpPort: port, timeoutMs: timeout = TIMEOUT_MS }: ValidationOptions,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const fail = ({ message }: Error) => {
      const detail = `${address}: Fetching http://${hostname}${path}: ${message}`;
      reject(new AcmeProblem('connection', detail));
    };
    const options = { host: address, port, path, headers: { host: hostname }, agent: false };
    const request = get({ ...options, timeout }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', fail);
    });
    request.on('timeout', () => request.destroy(new Error('Timeout during connect')));
    request.on('error', fail);
  });
}

/** RFC 8737, section 3. */
function checkTls(
  request: ValidationRequest,
  address: string,
  { tlsPort: port, timeoutMs = TIMEOUT_MS }: ValidationOptions,
): Promise<void> {
  const { hostname, keyAuthorization } = request;
  return new Promise((resolve, reject) => {
    const fail = (type: 'connection' | 'tls' | 'unauthorized', detail: string) => {
      socket.destroy();
      reject(new AcmeProblem(type, `${address}: ${detail}`));
    };
    let isConnected = false;
    const socket = connect({
      host: address,
      port,
      servername: hostname,
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    });
    socket.setTimeout(timeoutMs, () => fail('connection', 'Timeout during connect'));
    socket.on('connect', () => (isConnected = true));
    socket.on('error', (error) => fail(isConnected ? 'tls' : 'connection', error.message));
    socket.on('secureConnect', () => {
      const raw = socket.getPeerX509Certificate()?.raw;
      if (socket.alpnProtocol !== 'acme-tls/1' || !raw) {
        return fail('unauthorized', 'Cannot negotiate ALPN protocol "acme-tls/1"');
      }
      const value = new X509Certificate(raw).getExtension(ACME_IDENTIFIER)?.value;
      // An OCTET STRING of 32 bytes, in DER.
      const expected = `0420${hash('sha256', keyAuthorization, 'hex')}`;
      if (!value || Buffer.from(value).toString('hex') !== expected) {
        return fail('unauthorized', 'The certificate has no acmeIdentifier of this challenge');
      }
      socket.destroy();
      resolve();
    });
  });
}

/** RFC 8659, section 3, as far as a test needs it: rejects with AcmeProblem where a record forbids to issue. */
export async function checkCaa(
  hostname: string,
  identity: string,
  lookUps: ValidationOptions,
): Promise<void> {
  const resolver = resolverOf(lookUps);
  for (let name = hostname; name !== ''; name = name.slice(name.indexOf('.') + 1 || name.length)) {
    // Most names have no such record, and some do not even exist.
    const records = await resolver.resolveCaa(name).catch(() => []);
    const issuers = records.flatMap(({ issue }) => (issue === undefined ? [] : [issue]));
    if (records.length === 0) continue;
    const isAllowed = issuers.some((issue) => issue.split(';')[0]?.trim() === identity);
    if (issuers.length > 0 && !isAllowed) {
      throw new AcmeProblem('caa', `CAA record for ${name} prevents issuance`);
    }
    return;
  }
}
