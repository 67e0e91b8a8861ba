/** How settled an operation is. Those without a mark are stable. */
type Mark = 'beta' | 'experimental';

/** What a service offers: operations that are at least as settled as this. */
export const STABILITY_LEVELS = ['stable', 'beta', 'experimental'] as const;
export type StabilityLevel = (typeof STABILITY_LEVELS)[number];

interface Marked {
  /** Shown in the document as `x-stability`. */
  stability?: Mark;
  /** The API specification requires the operation: every level of stability offers it. */
  isRequiredBySpecification?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig extends Marked {}
}

/** Whether a service of a level offers an operation. */
export function isOffered(
  { stability, isRequiredBySpecification }: Marked,
  level: StabilityLevel,
): boolean {
  const place = STABILITY_LEVELS.indexOf(stability ?? 'stable');
  return isRequiredBySpecification === true || place <= STABILITY_LEVELS.indexOf(level);
}
