import { isObject, type OpenApiDocument, textOf } from './openapi-types.ts';
import { requirementsOf } from './security.ts';

/** The extension field of a security scheme that names the operation by which a reader gets a credential to try with. */
export const SANDBOX_FIELD = 'x-sandbox';

/** How a reader gets a credential of a scheme for a sandbox: by a POST that needs none. */
export interface SandboxOffer {
  /** Behind the server's address: `/sandboxes`. */
  readonly path: string;
  /** Where the credential stands in the JSON of the response: `/key` (RFC 6901). */
  readonly credential: string;
  /** Where the time of its end stands (RFC 3339). */
  readonly expiresAt?: string;
}

/** A JSON pointer to a member of an object. */
const POINTER = /^(?:\/(?:[^~/]|~[01])+){1,5}$/;

/**
 * Reads the field of a scheme; undefined where it has none. A text says why it is ignored, as the end of a sentence.
 */
export function sandboxOffer(
  document: OpenApiDocument,
  scheme: Readonly<Record<string, unknown>>,
): SandboxOffer | string | undefined {
  if (!Object.hasOwn(scheme, SANDBOX_FIELD)) return undefined;
  const field = scheme[SANDBOX_FIELD];
  const { operationId, credential, expiresAt } = isObject(field) ? field : {};
  if (textOf(operationId) === '') return 'it must be an object with an operationId';
  if (!POINTER.test(textOf(credential))) return 'credential must be a JSON pointer such as /key';
  if (expiresAt !== undefined && !POINTER.test(textOf(expiresAt))) {
    return 'expiresAt must be a JSON pointer such as /expiresAt';
  }
  const path = freePost(document, textOf(operationId));
  if (path === undefined) {
    return `no POST without parameters in its path, and without a need of credentials, has the operationId ${textOf(operationId)}`;
  }
  return {
    ...{ path, credential: textOf(credential) },
    ...(expiresAt !== undefined && { expiresAt: textOf(expiresAt) }),
  };
}

/** The path of the POST of this name, where anyone can send it. */
function freePost(document: OpenApiDocument, operationId: string): string | undefined {
  const { paths } = document;
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {})) {
    const operation = isObject(item) ? item.post : undefined;
    if (!isObject(operation) || operation.operationId !== operationId) continue;
    const requirements = requirementsOf(document, operation);
    const isFree =
      requirements.length === 0 || requirements.some((one) => Object.keys(one).length === 0);
    return isFree && !path.includes('{') ? path : undefined;
  }
  return undefined;
}
