/** An authority's error (RFC 8555, section 6.7; RFC 7807). */
export interface ProblemDocument {
  /** Without `urn:ietf:params:acme:error:`. */
  readonly type: string;
  readonly detail: string;
  /** The HTTP status; 0 where the document stood in a resource. */
  readonly status: number;
}

/** A call that the authority answered with an error. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly document: ProblemDocument;
  /** How long the authority wants to be left alone, in milliseconds, within bounds; undefined: not said. */
  readonly retryAfterMs: number | undefined;

  constructor(document: ProblemDocument, retryAfterMs?: number) {
    super(`${document.type}: ${document.detail}`);
    this.document = document;
    this.retryAfterMs = retryAfterMs;
  }
}

const URN = 'urn:ietf:params:acme:error:';
const MAX_DETAIL = 1_000;

/** Reads a problem document; one that has no type, or another body, becomes `serverInternal` or `malformed`. */
export function readProblem(body: unknown, status: number): ProblemDocument {
  const { type, detail, subproblems } = isRecord(body) ? body : {};
  const known = typeof type === 'string' && type.startsWith(URN) ? type.slice(URN.length) : '';
  const details = [detail, ...subproblemDetails(subproblems)].filter(
    (text) => typeof text === 'string',
  );
  return {
    type: known || (status >= 500 ? 'serverInternal' : 'malformed'),
    detail: (details.join(' ') || `HTTP status ${status}`).slice(0, MAX_DETAIL),
    status,
  };
}

function subproblemDetails(subproblems: unknown): unknown[] {
  if (!Array.isArray(subproblems)) return [];
  return subproblems.map((problem: unknown) => (isRecord(problem) ? problem.detail : undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
