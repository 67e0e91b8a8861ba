/** RFC 8555, section 6.7: the types, and the usual HTTP status of each. */
const PROBLEM_STATUS = {
  accountDoesNotExist: 400,
  alreadyReplaced: 409,
  badCSR: 400,
  badNonce: 400,
  badSignatureAlgorithm: 400,
  caa: 403,
  connection: 400,
  dns: 400,
  externalAccountRequired: 403,
  incorrectResponse: 403,
  invalidProfile: 400,
  malformed: 400,
  orderNotReady: 403,
  rateLimited: 429,
  rejectedIdentifier: 400,
  serverInternal: 500,
  tls: 400,
  unauthorized: 403,
  unsupportedIdentifier: 400,
  userActionRequired: 403,
} as const;

export type ProblemType = keyof typeof PROBLEM_STATUS;

/** The error in a response or in a challenge. */
export class AcmeProblem extends Error {
  override name = 'AcmeProblem';
  readonly type: ProblemType;
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(
    type: ProblemType,
    detail: string,
    { status, retryAfter }: { status?: number | undefined; retryAfter?: string | undefined } = {},
  ) {
    super(detail);
    this.type = type;
    this.status = status ?? PROBLEM_STATUS[type];
    this.retryAfter = retryAfter;
  }

  /** RFC 7807. */
  get document(): { type: string; detail: string; status: number } {
    const { type, message: detail, status } = this;
    return { type: `urn:ietf:params:acme:error:${type}`, detail, status };
  }
}

/** Any error as a problem; an unexpected one is an internal error of the authority. */
export function problemOf(error: unknown): AcmeProblem {
  return error instanceof AcmeProblem ? error : new AcmeProblem('serverInternal', String(error));
}
