import type { onRequestHookHandler } from 'fastify';
import { ApiError } from './api-error.ts';
import { answerTo, headerLines } from './service-response.ts';

/** When an operation was deprecated, when it goes, and what takes its place. */
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

/** Whether the sunset of an operation has come, at an instant in milliseconds since 1970. */
export function isRemoved({ sunset }: Deprecation, now: number): boolean {
  return now >= sunset.getTime();
}

/** What every answer of a deprecated operation says of that. */
interface Announcement {
  readonly baseUrl: string;
  readonly lines: string;
}

/** Written once for each operation: dates are slow to write. */
const written = new WeakMap<Deprecation, Announcement>();

/**
 * The headers of every answer of a deprecated operation, as lines: `Deprecation` (RFC 9745), `Sunset`
 * (RFC 8594), and a link to its successor (RFC 5829).
 */
export function announcement(deprecation: Deprecation, baseUrl: string): string {
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

/**
 * Marks every answer of a deprecated operation, errors too. Runs before authentication, so that a
 * 401 carries the headers as well.
 */
export function announceDeprecation(baseUrl: () => string): onRequestHookHandler {
  return (request, reply, done) => {
    const { deprecation } = request.route.config;
    if (deprecation) answerTo(reply).addLines(announcement(deprecation, baseUrl()));
    done();
  };
}

/** Answers 410 from the sunset on. Runs after authentication, like every look at what exists. */
export function refuseRemoved(now: () => number): onRequestHookHandler {
  return (request, _reply, done) => {
    const { deprecation } = request.route.config;
    if (!deprecation || !isRemoved(deprecation, now())) return done();
    done(new ApiError('operation_removed', removalMessage(deprecation)));
  };
}
