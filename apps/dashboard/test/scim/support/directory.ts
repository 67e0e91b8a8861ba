import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Config } from '../../../server/src/config.ts';
import type { CreatedScimToken } from '../../../server/src/scim/token.ts';
import { json, type Service, startService, type Visitor } from '../../support/service.ts';

/** What SCIM answers: its status and its body. */
export interface ScimResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect of any resource.
  readonly body: any;
  readonly headers: Headers;
}

export interface Directory {
  readonly service: Service;
  /** Owns the installation. */
  readonly root: Visitor;
  readonly token: CreatedScimToken;
  /** A request as a directory sends it; `path` comes after `/scim/v2`. */
  scim(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ScimResponse>;
}

/** A dashboard with a token for a directory. */
export async function startDirectory(
  t: TestContext,
  overrides: Partial<Config> = {},
): Promise<Directory> {
  const service = await startService(t, { signUp: 'open', ...overrides });
  const root = await service.signUp('root@example.com');
  const made = await root.call('POST', '/api/installation/scim-tokens', { name: 'Entra ID' });
  const token = await json<CreatedScimToken>(made, 201);
  return { service, root, token, scim: scimOf(token.url, token.token) };
}

/** Requests to SCIM at an address with a token. */
export function scimOf(url: string, token: string | undefined): Directory['scim'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (text !== '') {
      assert.match(`${response.headers.get('content-type')}`, /^application\/scim\+json/);
    }
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
    };
  };
}

export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The body of a PATCH. */
export const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH_OP], Operations });

/** Makes a user; its id. */
export async function makeUser({ scim }: Directory, userName: string, more = {}): Promise<string> {
  const made = await scim('POST', '/Users', { schemas: [USER], userName, ...more });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

/** Makes a group of some users; its id. */
export async function makeGroup(
  { scim }: Directory,
  displayName: string,
  members: readonly string[] = [],
): Promise<string> {
  const made = await scim('POST', '/Groups', {
    ...{ schemas: [GROUP], displayName },
    members: members.map((value) => ({ value })),
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

/** Checks that a response is an error as SCIM has it; its sentence. */
export function assertScimError(
  { status, body }: ScimResponse,
  expected: number,
  scimType?: string,
): string {
  assert.equal(status, expected, JSON.stringify(body));
  assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assert.equal(body.status, `${expected}`);
  assert.equal(body.scimType, scimType);
  return body.detail;
}
