import type { ActiveKey, KeyHash } from '../keys/key.ts';
import type { Awaitable, FoundSandbox, SandboxRows } from '../store/store.ts';
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
