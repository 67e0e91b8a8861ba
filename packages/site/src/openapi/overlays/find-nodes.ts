import { runInNewContext } from 'node:vm';
import { JSONPathEnvironment } from 'json-p3';
import { MAX_DEPTH } from '../../syntax/source.ts';

/** A value that a JSONPath selects, by its place. */
export type NodeLocation = readonly (string | number)[];

/** The time that JSONPaths still have: filters and patterns may be written so that they would take for ever. */
export interface PathTime {
  /** In milliseconds. */
  left: number;
}

/** All of an upload: the heaviest useful ones take a few seconds in 13 MB. */
export const pathTime = (): PathTime => ({ left: 20_000 });

/** How many values one JSONPath may select. */
const MAX_NODES = 200_000;

const MAX_LETTERS = 2_000;

const paths = new JSONPathEnvironment({ maxRecursionDepth: 2 * MAX_DEPTH });

/** The values that a JSONPath (RFC 9535) selects, each once, or what is wrong with it. */
export function findNodes(
  document: object,
  path: string,
  time: PathTime,
): readonly NodeLocation[] | { readonly problem: string } {
  if (path.length > MAX_LETTERS) {
    return { problem: `It has ${path.length} characters; it may have ${MAX_LETTERS}.` };
  }
  const find = () => {
    const found = new Map<string, NodeLocation>();
    for (const { location } of paths.compile(path).lazyQuery(document as never)) {
      found.set(JSON.stringify(location), location);
      if (found.size > MAX_NODES) return undefined;
    }
    return [...found.values()];
  };
  const start = performance.now();
  try {
    // Only this ends what is under way, be it a pattern or a filter.
    const found = runInNewContext(
      'find()',
      { find },
      { timeout: Math.max(1, Math.floor(time.left)) },
    );
    return found ?? { problem: `It selects more than ${MAX_NODES} values.` };
  } catch (error) {
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      const problem =
        'The JSONPaths of the overlays take too long, here at last. Write them without patterns and `..` in filters.';
      return { problem };
    }
    if (error instanceof Error) return { problem: `It is no JSONPath: ${error.message}.` };
    throw error;
  } finally {
    time.left -= performance.now() - start;
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
