import { invalidRequest } from '../../api-error.ts';

const MAX_LENGTH = 40;

/** One segment of a path that nobody has to encode. Names of the service itself begin with `_` or a dot. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;

/** What a site has at its root in any case. A file's name is refused below. */
const RESERVED: ReadonlySet<string> = new Set(['reference', 'mcp']);

/** `robots.txt`, `openapi.json`: `v1.0` is none. */
const FILE = /\.(?:css|html?|ico|js|json|mdx?|pdf|png|svg|txt|xml|ya?ml|zip)$/;

/** Throws ApiError for text that cannot be a version's name, which is the first segment of its paths. */
export function checkVersion(version: string): void {
  if (version.length > MAX_LENGTH || !NAME.test(version)) {
    throw invalidRequest(
      `version must be 1 to ${MAX_LENGTH} of a-z, 0-9, dots, dashes and underscores, and begin and end with a letter or digit, such as v2 or 2026-01: it is a part of the site's addresses.`,
    );
  }
  if (RESERVED.has(version) || FILE.test(version)) {
    throw invalidRequest(
      `version must not be ${version}: a site has that at its root. Choose another name, such as v2.`,
    );
  }
}
