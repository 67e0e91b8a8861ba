import type { ApiError } from '@petstore/http/errors.ts';

/** The codes of RFC 7644, section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An error as SCIM says it: a status, a code where the standard has one, and a sentence. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string,
    { scimType, headers = {} }: { scimType?: ScimType; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
    this.headers = headers;
  }

  get body() {
    return {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: `${this.status}`,
      ...(this.scimType && { scimType: this.scimType }),
      detail: this.message,
    };
  }
}

export function badRequest(scimType: ScimType, detail: string): ScimError {
  return new ScimError(400, detail, { scimType });
}

export function notUnique(detail: string): ScimError {
  return new ScimError(409, detail, { scimType: 'uniqueness' });
}

export function noResource(kind: string, id: string): ScimError {
  return new ScimError(404, `There is no ${kind} with the id ${id}.`);
}

/** An error of the rest of the program in SCIM's words. */
export function ofApiError(error: ApiError): ScimError {
  const { status, message } = error.body;
  const headers = Object.fromEntries(
    Object.entries(error.headers ?? {}).map(([name, value]) => [name, `${value}`]),
  );
  if (error.code === 'invalid_request')
    return new ScimError(400, message, { scimType: 'invalidValue', headers });
  if (error.code === 'invalid_json')
    return new ScimError(400, message, { scimType: 'invalidSyntax', headers });
  return new ScimError(status, message, { headers });
}
