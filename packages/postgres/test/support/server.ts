import { PostgresServer } from '@petstore/postgres/server.ts';
import { postgresAddress } from '@petstore/service/postgres-address.ts';

/** The server of an address, with sessions that a test finds again by their name. */
export function serverOf(url: string, name = 'tested'): PostgresServer {
  return new PostgresServer(postgresAddress('url', url), { name, timeoutMs: 0, int8: Number });
}

/** A database's address by way of other hosts. */
export function through(url: string, ...hosts: readonly (number | string)[]): string {
  const places = hosts.map((host) => (typeof host === 'number' ? `127.0.0.1:${host}` : host));
  return url.replace(/@[^/]+/, `@${places.join(',')}`);
}
