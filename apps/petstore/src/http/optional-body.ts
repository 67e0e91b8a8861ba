import type { onRouteHookHandler, preValidationHookHandler } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A request without a body, or with an empty one, means `{}`. */
    isBodyOptional?: boolean;
  }
}

/** Lets the body be left out of the requests for a route that says so. */
export const letBodyBeOmitted: onRouteHookHandler = (route) => {
  if (route.config?.isBodyOptional) route.preValidation = takeNoneForEmpty;
};

/** Before the body is validated. A body of `null` stays what it is. */
const takeNoneForEmpty: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};
