import type { ActiveKey, KeyHash } from '../keys/key.ts';
import type { Awaitable } from '../store/contract/awaitable.ts';
import type { FoundSandbox, SandboxRows } from '../store/contract/sandbox-rows.ts';
import { SANDBOX_SCOPES } from './sandbox.ts';

/** Finds the key of a sandbox by its hash. */
export function sandboxKeys(
  sandboxes: SandboxRows,
): (hash: KeyHash) => Awaitable<ActiveKey | undefined> {
  const keyOf = (found: FoundSandbox | undefined) =>
    found && {
      ...{ id: found.id, scopes: SANDBOX_SCOPES, expiresAt: found.expiresAt },
      sandbox: { id: found.id, faults: found.faults },
    };
  return (hash) => {
    const found = sandboxes.findByKey(hash);
    return found instanceof Promise ? found.then(keyOf) : keyOf(found);
  };
}
