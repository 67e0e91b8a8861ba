import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyContextConfig } from 'fastify';
import { headerLines, type ServiceResponse } from '../service-response.ts';
import type { Check } from './check.ts';

/** When an operation was deprecated, when it is removed, and what replaces it. */
export interface Deprecation {
  readonly since: Date;
  readonly sunset: Date;
  /** The path of the successor below the base address, such as `/pets`. */
  readonly successor: string;
  /** How to move there, as the end of a public sentence. */
  readonly advice: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecation?: Deprecation;
  }
}

export function removalMessage({ sunset, advice }: Deprecation): string {
  return `This operation was removed on ${sunsetDate(sunset)}. ${advice}`;
}

/** The day of the sunset in UTC, as `x-deprecated-sunset` has it: `2030-12-05`. */
export function sunsetDate(sunset: Date): string {
  return sunset.toISOString().slice(0, 10);
}

/** The deprecation headers of an operation. */
interface Announcement {
  readonly baseUrl: string;
  readonly lines: string;
}

/** Written once for each operation: dates are slow to write. */
const written = new WeakMap<Deprecation, Announcement>();

/**
 * The headers of every response of a deprecated operation, as lines: `Deprecation` (RFC 9745), `Sunset`
 * (RFC 8594), and a link to its successor (RFC 5829).
 */
function announcement(deprecation: Deprecation, baseUrl: string): string {
  const known = written.get(deprecation);
  if (known?.baseUrl === baseUrl) return known.lines;
  const { since, sunset, successor } = deprecation;
  const headers = {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: sunset.toUTCString(),
    link: `<${baseUrl}${successor}>; rel="successor-version"`,
  };
  const lines = headerLines(Object.entries(headers).flat());
  written.set(deprecation, { baseUrl, lines });
  return lines;
}

/** Adds the deprecation headers to a response. It comes first, so that errors have them as well. */
export function announceDeprecation(
  { deprecation }: FastifyContextConfig,
  response: ServiceResponse,
  baseUrl: () => string,
): void {
  if (deprecation) response.addLines(announcement(deprecation, baseUrl()));
}

/** Throws ApiError `operation_removed` for a deprecated operation from its sunset on. */
export function checkSunset(now: () => number): Check {
  return ({ config: { deprecation } }) => {
    if (!deprecation || now() < deprecation.sunset.getTime()) return;
    throw new ApiError('operation_removed', removalMessage(deprecation));
  };
}
