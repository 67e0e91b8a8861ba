import type { onRequestHookHandler } from 'fastify';
import { ApiError } from './api-error.ts';

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

function isRemoved({ sunset }: Deprecation, now: Date): boolean {
  return now.getTime() >= sunset.getTime();
}

/**
 * Marks every answer of a deprecated operation, errors too, with `Deprecation` (RFC 9745), `Sunset`
 * (RFC 8594) and a link to its successor (RFC 5829). Runs before authentication, so that a 401
 * carries them as well.
 */
export function announceDeprecation(baseUrl: () => string): onRequestHookHandler {
  const datesOf = new WeakMap<Deprecation, { deprecation: string; sunset: string }>();
  const written = (deprecation: Deprecation) => {
    let dates = datesOf.get(deprecation);
    if (!dates) {
      const { since, sunset } = deprecation;
      dates = { deprecation: `@${since.getTime() / 1000}`, sunset: sunset.toUTCString() };
      datesOf.set(deprecation, dates);
    }
    return dates;
  };
  return (request, reply, done) => {
    const { deprecation } = request.routeOptions.config;
    if (deprecation) {
      const dates = written(deprecation);
      reply.header('deprecation', dates.deprecation);
      reply.header('sunset', dates.sunset);
      reply.header('link', `<${baseUrl()}${deprecation.successor}>; rel="successor-version"`);
    }
    done();
  };
}

/** Answers 410 from the sunset on. Runs after authentication, like every look at what exists. */
export function refuseRemoved(now: () => Date): onRequestHookHandler {
  return (request, _reply, done) => {
    const { deprecation } = request.routeOptions.config;
    if (!deprecation || !isRemoved(deprecation, now())) return done();
    done(new ApiError('operation_removed', removalMessage(deprecation)));
  };
}
