/**
 * The paths that a request without a route may mean: the response is 405 where such a path has other methods, and 404
 * otherwise. To give the router a route for each of the thirty other methods of each path would take a fifth of a
 * start.
 */
export class PathPatterns {
  readonly #parts = new Map<string, readonly string[]>();
  readonly #maxParameterLength: number;

  /** `maxParameterLength`: the router's; a path with a longer parameter is none of its routes'. */
  constructor(maxParameterLength: number) {
    this.#maxParameterLength = maxParameterLength;
  }

  /** Adds the path of a route, such as `/v1/pets/:petId` or `/reference/*`. */
  add(pattern: string): void {
    this.#parts.set(pattern, pattern.split('/'));
  }

  /** The paths that a request's target, in origin form, is one of: `/keys/:id` and `/keys/options` may both be. */
  of(target: string): string[] {
    const path = decoded(target.split('?', 1)[0] ?? '');
    if (path === undefined) return [];
    const segments = path.split('/');
    return [...this.#parts].flatMap(([pattern, parts]) =>
      this.#isOf(segments, parts) ? [pattern] : [],
    );
  }

  #isOf(segments: readonly string[], parts: readonly string[]): boolean {
    const hasRest = parts.at(-1) === '*';
    if (hasRest ? segments.length < parts.length : segments.length !== parts.length) return false;
    return parts.every((part, at) => {
      if (hasRest && at === parts.length - 1) return true;
      const segment = segments[at] as string;
      return part.startsWith(':') ? segment.length <= this.#maxParameterLength : segment === part;
    });
  }
}

/** As the router does it; undefined where there is an invalid escape, which is in no path. */
function decoded(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
