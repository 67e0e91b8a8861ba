import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Reads lines `namespace NAME`, `mount FOLDER` and `folder FOLDER` from standard input. When that ends, it removes them
 * in reverse order. Standard input ends with the process at its other end, even if that was killed.
 */
const SCRIPT = `
trap '' INT TERM HUP
lines=
while IFS= read -r line; do lines="$line
$lines"; done
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) for round in 1 2 3; do for pid in $(ip netns pids "$name"); do kill -KILL "$pid"; done; done ;;
  esac
done 2>/dev/null
sleep 0.3
printf '%s' "$lines" | while read -r kind name; do
  case $kind in
    namespace) ip netns delete "$name" ;;
    mount) umount -l "$name" ;;
    folder) rm -rf "$name" ;;
  esac
done 2>/dev/null
`;

/** Removes everything that a cluster has created, even when the cluster itself was killed. */
export class Teardown {
  readonly #child = spawn('sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });

  /** Reports something that is about to be created. */
  add(kind: 'namespace' | 'mount' | 'folder', name: string): void {
    (this.#child.stdin as Writable).write(`${kind} ${name}\n`);
  }

  /** Removes everything, and waits for that. */
  async finish(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}
