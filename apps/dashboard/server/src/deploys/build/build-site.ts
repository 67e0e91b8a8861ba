import { count } from '@petstore/service/text.ts';
import {
  type BuildLine,
  type BuildLog,
  type BuildProblem,
  boundedLog,
  problemOf,
  type SourceFiles,
} from '@petstore/site/build-log.ts';
import {
  configFile,
  defaultDocument,
  MINIMAL_CONFIG,
  readDocsConfig,
} from '@petstore/site/guides/docs-config.ts';
import { sitePathProblems } from '@petstore/site/guides/site-links.ts';
import { readCheckedDocument } from '@petstore/site/openapi/checked-document.ts';
import { downloadFiles } from '@petstore/site/openapi/download-files.ts';
import type { OpenApiDocument } from '@petstore/site/openapi/openapi-types.ts';
import { documentSite } from '@petstore/site/reference/document-site.ts';
import { referenceContext } from '@petstore/site/reference/reference-site.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import { SiteLimitError, siteTooLarge } from '@petstore/site/site/site-limits.ts';
import {
  type BuildInput,
  type BuildResult,
  shortFinding,
  shortMessage,
  shortProblem,
} from '../artifact.ts';
import { DEPLOY_LIMITS } from '../deploy-limits.ts';
import { readArchive } from './archive/read-archive.ts';
import { ArtifactMaker } from './artifact/artifact-maker.ts';
import type { PackFiles } from './artifact/pack-files.ts';

/**
 * Builds an archive with guides: `docs.yaml`, Markdown pages, their images, and the OpenAPI document. The problems of
 * all of them are reported together. One without `docs.yaml` is built from its document alone. `pack` has got files in
 * vain where there are problems.
 */
export async function buildSite(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
): Promise<BuildResult> {
  const bounded = boundedLog((line) => log(shortLine(line)));
  try {
    const result = await build(input, pack, bounded.log);
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

const limitsOf = ({ limits = DEPLOY_LIMITS }: BuildInput) => limits;

const publicationOf = (input: BuildInput): Publication => ({
  ...input.publication,
  limits: limitsOf(input).site,
});

const shortLine = (line: BuildLine): BuildLine =>
  'rule' in line ? shortFinding(line) : { message: shortMessage(line.message) };

async function build(input: BuildInput, pack: PackFiles, log: BuildLog): Promise<BuildResult> {
  const { kind, bytes, name } = input;
  if (kind === 'document') return buildDocument(input, pack, log);
  log({ message: 'Unpacking the archive.' });
  const unpacked = await readArchive(kind, bytes, name, limitsOf(input));
  if ('problems' in unpacked) return unpacked;
  const files = withoutHidden(unpacked.files, log);
  log({ message: `The archive holds ${files.size} files.` });

  const file = configFile(files);
  if (file === undefined) return buildDocumentOf(files, input, pack, log);
  // Loaded here: most builds are of a document alone, and half of what a build loads is for guides.
  const { guidePages, guidesSite, imagesOf, overviewPath, pathsOf } = await import(
    '@petstore/site/guides/guides-site.ts'
  );
  const { config, problems } = readDocsConfig(files, file);
  const artifact = new ArtifactMaker(pack);
  const { openapi } = config;
  const checked =
    openapi === undefined
      ? undefined
      : await readAndPack(files.get(openapi) as Uint8Array, openapi, artifact, log);
  const isBroken = checked !== undefined && 'problems' in checked;
  const options = { overview: overviewPath(files), images: imagesOf(files), paths: pathsOf(files) };
  const reference = !checked || isBroken ? undefined : referenceContext(checked, options, log);
  // The configuration may be wrong about which document is meant.
  const isUnknown = isBroken || (reference === undefined && problems.length > 0);
  const guides = await guidePages(
    { files, config, reference: isUnknown ? 'unknown' : reference },
    log,
  );
  const all = [...problems, ...(isBroken ? checked.problems : []), ...guides.problems];
  if (all.length > 0) return { problems: all };
  const site = await guidesSite(
    { files, config, reference },
    guides.pages,
    log,
    publicationOf(input),
  );
  const made = await artifact.finish(site, log);
  const wrong = sitePathProblems(config, new Set(Object.keys(made.manifest.files)));
  return wrong.length > 0 ? { problems: wrong } : { artifact: made };
}

/** Files whose name begins with a dot belong to tools, and may have secrets. */
function withoutHidden(files: SourceFiles, log: BuildLog): SourceFiles {
  const isHidden = (path: string) => path.split('/').some((segment) => segment.startsWith('.'));
  const hidden = [...files.keys()].filter(isHidden);
  if (hidden.length > 0) {
    const message = `Left out ${hidden.length} files whose names begin with a dot: ${hidden.slice(0, 5).join(', ')}${hidden.length > 5 ? ', …' : '.'}`;
    log({ message });
  }
  return new Map([...files].filter(([path]) => !isHidden(path)));
}

function buildDocumentOf(
  files: SourceFiles,
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
): Promise<BuildResult> | { problems: BuildProblem[] } {
  const openapi = defaultDocument(files);
  if (openapi === undefined) {
    const message = `The archive has neither a \`docs.yaml\` nor an \`openapi.yaml\` or \`openapi.json\` at its root. A \`docs.yaml\` is at least:\n\n${MINIMAL_CONFIG}`;
    return { problems: [problemOf(message, input.name)] };
  }
  log({ message: `There is no docs.yaml: \`${openapi}\` is published alone.` });
  warnOfPages(files, log);
  const bytes = files.get(openapi) as Uint8Array;
  return buildDocument({ ...input, kind: 'document', bytes, name: openapi }, pack, log);
}

/** The configuration of other tools, by its path in a folder. */
const OTHER_TOOLS: readonly (readonly [file: RegExp, tool: string])[] = [
  [/(?:^|\/)(?:docs|mint)\.json$/, 'Mintlify'],
  [/(?:^|\/)SUMMARY\.md$/, 'GitBook'],
  [/(?:^|\/)docusaurus\.config\.[cm]?[jt]s$/, 'Docusaurus'],
  [/(?:^|\/)mkdocs\.ya?ml$/, 'MkDocs'],
];

/** Whoever sends pages means them to be published. */
function warnOfPages(files: SourceFiles, log: BuildLog): void {
  const paths = [...files.keys()];
  const pages = paths.filter((path) => /\.mdx?$/.test(path));
  if (pages.length === 0) return;
  const [found] = OTHER_TOOLS.flatMap(([file, tool]) => {
    const path = paths.find((one) => file.test(one));
    return path === undefined ? [] : [`\`${path}\` is a configuration of ${tool}'s.`];
  });
  const message = [
    `${count(pages.length, 'page')} (.md, .mdx), such as \`${pages[0]}\`, ${pages.length === 1 ? 'is' : 'are'} not published, since there is no \`docs.yaml\`.`,
    found,
    'A `docs.yaml` with a `title` is enough.',
  ];
  const text = message.filter(Boolean).join(' ');
  log({ rule: 'navigation', message: text, file: '', path: '', line: null });
}

/** Builds the site of a document alone: its reference is at `/`. */
async function buildDocument(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
): Promise<BuildResult> {
  const artifact = new ArtifactMaker(pack);
  const checked = await readAndPack(input.bytes, input.name, artifact, log);
  if ('problems' in checked) return checked;
  log({ message: 'Making the pages' });
  const site = await documentSite(checked, log, publicationOf(input));
  return { artifact: await artifact.finish(site, log) };
}

/** Reads and checks a document. Meanwhile it is packed as readers can download it, which has no need of its check. */
function readAndPack(
  bytes: Uint8Array,
  name: string,
  artifact: ArtifactMaker,
  log: BuildLog,
): ReturnType<typeof readCheckedDocument> {
  const pack = (document: OpenApiDocument) => artifact.begin(downloadFiles(document));
  return readCheckedDocument(bytes, name, log, pack);
}
