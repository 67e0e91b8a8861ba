import type { AddressInfo } from 'node:net';
import { urlHost } from '@petstore/service/listen.ts';
import type { FastifyInstance } from 'fastify';
import type { Config, Environment } from './config.ts';

/** The addresses of environments that are not configured: on this machine. */
const DEFAULT_BASE_URLS: Record<Environment, string> = {
  production: 'http://127.0.0.1:8080/v1',
  staging: 'http://127.0.0.1:8090/v1',
};

/** The public addresses of both environments, each ending in `/v1`. */
export type BaseUrls = Readonly<Record<Environment, string>>;

/**
 * The configured addresses; for this process's own environment, where none is configured, the address that it listens
 * on. The Host header is not used: a client could write anything into it.
 */
export function baseUrls(config: Config, listeningPort: number): BaseUrls {
  const own = `http://${urlHost(config.host)}:${listeningPort}/v1`;
  const { environment } = config;
  const fallback = { ...DEFAULT_BASE_URLS, [environment]: own };
  return {
    production: config.baseUrl ?? fallback.production,
    staging: config.stagingBaseUrl ?? fallback.staging,
  };
}

/**
 * The origin that everyone reaches this service by; undefined where none is configured, or where the service is below a
 * path of it, so that its pages are not at theirs.
 */
export function publicOrigin({
  environment,
  baseUrl,
  stagingBaseUrl,
}: Pick<Config, 'environment' | 'baseUrl' | 'stagingBaseUrl'>): string | undefined {
  const url = URL.parse((environment === 'production' ? baseUrl : stagingBaseUrl) ?? '');
  return url?.pathname === '/v1' ? url.origin : undefined;
}

/** The port that a server listens on; the configured one until it does. */
export function listeningPort(app: FastifyInstance, config: Config): number {
  const address = app.server.address() as AddressInfo | null;
  return address?.port ?? config.port;
}
