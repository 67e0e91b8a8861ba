import assert from 'node:assert/strict';
import { type ApiErrorCode, ERRORS } from '@petstore/http/errors.ts';
import type { RawResponse } from '@petstore/test-support/raw-http.ts';

/**
 * Holds an answer to the form of every error: its status, exactly the three members of the Error
 * body, a request id, and a message that says what the pattern asks for.
 */
export async function assertError(
  answer: Response | RawResponse | undefined,
  code: ApiErrorCode,
  message?: RegExp,
): Promise<void> {
  assert.ok(answer, `no answer; expected ${code}`);
  const { header, text } = await read(answer);
  const { status } = ERRORS[code];
  assert.equal(answer.status, status, text);
  assert.match(header('content-type') ?? '', /^application\/json\b/);
  assert.ok(header('x-request-id'), 'an error carries its request id');
  assert.equal(header('cache-control'), 'no-store');
  const body = JSON.parse(text) as { message: string };
  assert.deepEqual(body, { code, message: body.message, status });
  assert.ok(body.message.length > 0);
  if (message) assert.match(body.message, message);
}

/** Holds an answer of /readyz to say that this check failed and in which words, and that it shows no place. */
export async function assertNotReady(
  answer: Response | RawResponse | undefined,
  check: string,
  message: RegExp,
): Promise<void> {
  assert.ok(answer, `no answer; expected that ${check} failed`);
  const { header, text } = await read(answer);
  assert.equal(answer.status, 503, text);
  assert.equal(header('cache-control'), 'no-store');
  const { status, checks } = JSON.parse(text) as {
    status: string;
    checks: Record<string, { status: string; message?: string }>;
  };
  assert.equal(status, 'unavailable');
  assert.equal(checks[check]?.status, 'failed', text);
  assert.match(checks[check]?.message ?? '', message);
  assert.doesNotMatch(text, /\/|127\.0\.0\.1|postgres:|\.db/, 'no path and no address');
}

async function read(answer: Response | RawResponse) {
  return answer instanceof Response
    ? { header: (name: string) => answer.headers.get(name), text: await answer.text() }
    : { header: (name: string) => answer.headers[name], text: answer.body };
}
