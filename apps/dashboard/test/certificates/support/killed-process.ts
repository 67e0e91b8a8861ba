import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { CertificateAuthority } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { forkChild } from '@petstore/test-support/children.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { ProcessOptions } from './issuer-process.ts';

const codeCache = process.env.NODE_COMPILE_CACHE ?? (await temporaryFolder(FILE));

/** One order, which is done, and no call more than is needed once and, where the process died, once again. */
export function checkCalls({ counts, ordersByStatus, issued }: CertificateAuthority): void {
  const none = { pending: 0, ready: 0, processing: 0, invalid: 0 };
  assert.deepEqual(ordersByStatus(), { ...none, valid: 1 });
  assert.equal(issued, 1);
  assert.ok(counts.newAccount <= 2, `${counts.newAccount} newAccount`);
  assert.ok(counts.newOrder <= 2, `${counts.newOrder} newOrder`);
  assert.ok(counts.challenge <= 2, `${counts.challenge} challenge`);
  assert.ok(counts.finalize <= 2, `${counts.finalize} finalize`);
  assert.ok(counts.validation === 1, `${counts.validation} validation`);
}

/** A process that issues certificates once it is sent `begin`. */
export async function startProcess(t: TestContext, options: ProcessOptions): Promise<ChildProcess> {
  const program = new URL('./issuer-process.ts', import.meta.url);
  // Most of its start is reading its own code. What it covers is not asked: it is killed.
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const child = forkChild(t, program, [JSON.stringify(options)], {
    env: { ...env, NODE_COMPILE_CACHE: codeCache },
  });
  await once(child, 'message');
  return child;
}
