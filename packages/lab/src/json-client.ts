import { UserError } from '@petstore/service/user-error.ts';

/** Calls a JSON API. Throws a UserError with the response's message where the status is not 2xx. */
export type Call = <Body>(method: string, path: string, body?: object | string) => Promise<Body>;

/** `token`: for the dashboard. The lab's own page needs none. */
export function jsonClient(origin: string, token?: string): Call {
  return async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new UserError(sentenceIn(text) ?? `${method} ${path}: ${response.status}`);
    return text === '' ? {} : JSON.parse(text);
  };
}

function sentenceIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message;
  } catch {
    return undefined;
  }
}
