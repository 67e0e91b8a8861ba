import type { LogPosition } from './follow-log.ts';
import { TreeEdge } from './merkle.ts';

/** A position as it is stored: hashes in base64. */
interface StoredPosition {
  readonly size: number;
  readonly subtrees: readonly string[];
  readonly grewAt: number;
  readonly head: {
    readonly size: number;
    readonly root: string;
    readonly timestamp: number;
    readonly signed: string;
  };
}

export function writePosition({ edge, grewAt, head }: LogPosition): string {
  const stored: StoredPosition = {
    size: edge.size,
    subtrees: edge.subtrees.map((hash) => hash.toString('base64')),
    grewAt,
    head: { ...head, root: head.root.toString('base64') },
  };
  return JSON.stringify(stored);
}

export function readPosition(text: string): LogPosition {
  const { size, subtrees, grewAt, head } = JSON.parse(text) as StoredPosition;
  const hashes = subtrees.map((hash) => Buffer.from(hash, 'base64'));
  return {
    edge: new TreeEdge(size, hashes),
    grewAt,
    head: { ...head, root: Buffer.from(head.root, 'base64') },
  };
}
