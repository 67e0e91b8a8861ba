import { UserError } from '@petstore/service/user-error.ts';

/** Calls a JSON interface. Throws a UserError with the answer's own sentence where that is no success. */
export type Call = <Answer>(
  method: string,
  path: string,
  body?: object | string,
) => Promise<Answer>;

/** `token`: of the dashboard; without one for the lab's own page. */
export function callerOf(origin: string, token?: string): Call {
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
