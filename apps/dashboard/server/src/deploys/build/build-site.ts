import {
  type BuildLine,
  type BuildLog,
  boundedLog,
  problemOf,
  type SourceFiles,
} from '@petstore/site/build-log.ts';
import type { PageCache } from '@petstore/site/guides/render/page-cache.ts';
import { SiteLimitError, siteTooLarge } from '@petstore/site/site/site-limits.ts';
import {
  type BuildInput,
  type BuildResult,
  shortFinding,
  shortMessage,
  shortProblem,
} from '../artifact.ts';
import { limitsOf } from '../deploy-limits.ts';
import { isHidden } from '../hidden-files.ts';
import { readArchive } from './archive/read-archive.ts';
import type { PackFiles } from './artifact/pack-files.ts';
import { buildKey } from './build-key.ts';
import type { BuildService } from './build-service.ts';

/**
 * Builds the site of a document or an archive (make-site.ts). Where the service says that the result for the key of what
 * is sent is known, nothing is built. `pages`: those of an earlier build of the same folder.
 */
export function buildSite(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  service?: undefined,
  pages?: PageCache,
): Promise<BuildResult>;
export function buildSite(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  service: BuildService,
): Promise<BuildResult | Known>;
export async function buildSite(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  service?: BuildService,
  pages?: PageCache,
): Promise<BuildResult | Known> {
  const bounded = boundedLog((line) => log(shortLine(line)));
  try {
    const result = await build(input, pack, bounded.log, { service, pages });
    return 'problems' in result ? { problems: result.problems.map(shortProblem) } : result;
  } catch (error) {
    // A text longer than a string can be is also larger than a site may be.
    const isEndless = error instanceof RangeError && error.message === 'Invalid string length';
    const refusal = isEndless ? siteTooLarge(limitsOf(input).site) : error;
    if (!(refusal instanceof SiteLimitError)) throw error;
    return { problems: [problemOf(refusal.message)] };
  } finally {
    bounded.end();
  }
}

interface Known {
  readonly isKnown: true;
}

const shortLine = (line: BuildLine): BuildLine =>
  'rule' in line ? shortFinding(line) : { message: shortMessage(line.message) };

async function build(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  { service, pages }: { service: BuildService | undefined; pages: PageCache | undefined },
): Promise<BuildResult | Known> {
  const { kind, bytes, name, document, publication } = input;
  const isMade = async (files: SourceFiles) =>
    service?.isKnown(
      await buildKey(files, {
        ...{ kind, document, limits: limitsOf(input), origin: publication?.origin },
        now: publication?.now,
        repository: publication?.repository,
      }),
    );
  if (kind === 'document') {
    if (await isMade(new Map([[name, bytes]]))) return { isKnown: true };
    const { makeDocument } = await maker();
    return makeDocument(input, pack, log, { service });
  }
  log({ message: 'Unpacking the archive.' });
  const unpacked = await readArchive(kind, bytes, name, limitsOf(input));
  if ('problems' in unpacked) return unpacked;
  const archive = withoutHidden(unpacked.files, log);
  log({ message: `The archive holds ${archive.size} files.` });
  if (await isMade(archive)) return { isKnown: true };
  const { makeSite } = await maker();
  return makeSite(input, archive, pack, log, { service, pages });
}

/** Loaded where something is made: it takes longer than to find out that nothing has to be. */
const maker = () => import('./make-site.ts');

/** The others by their path: nothing that is built depends on their order in the archive. */
function withoutHidden(files: SourceFiles, log: BuildLog): SourceFiles {
  const hidden = [...files.keys()].filter(isHidden);
  if (hidden.length > 0) {
    const message = `Left out ${hidden.length} files whose names begin with a dot: ${hidden.slice(0, 5).join(', ')}${hidden.length > 5 ? ', …' : '.'}`;
    log({ message });
  }
  const shown = [...files].filter(([path]) => !isHidden(path));
  return new Map(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}
