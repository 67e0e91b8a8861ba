import { hash } from 'node:crypto';
import { count } from '@petstore/service/text.ts';
import {
  type BuildLog,
  type BuildProblem,
  problemOf,
  type SourceFiles,
} from '@petstore/site/build-log.ts';
import type { Changelog } from '@petstore/site/changelog/changelog.ts';
import { configFile, MINIMAL_CONFIG, readDocsConfig } from '@petstore/site/guides/docs-config.ts';
import { withoutIgnored } from '@petstore/site/guides/ignored-files.ts';
import { coveredPages, redirectProblems } from '@petstore/site/guides/redirect-chains.ts';
import { type ConfigReference, defaultDocument } from '@petstore/site/guides/references-config.ts';
import type { PageCache } from '@petstore/site/guides/render/page-cache.ts';
import { sitePathProblems } from '@petstore/site/guides/site-path-problems.ts';
import { archiveFiles } from '@petstore/site/openapi/bundle/archive-files.ts';
import { findDocuments } from '@petstore/site/openapi/bundle/find-documents.ts';
import { readCheckedDocument } from '@petstore/site/openapi/checked-document.ts';
import { downloadFiles } from '@petstore/site/openapi/download-files.ts';
import type { OpenApiDocument } from '@petstore/site/openapi/openapi-types.ts';
import type { OverlayFile } from '@petstore/site/openapi/overlays/overlay-file.ts';
import { downloadPaths } from '@petstore/site/reference/addresses.ts';
import { documentSite } from '@petstore/site/reference/document-site.ts';
import { isListed } from '@petstore/site/reference/reference-list.ts';
import {
  type ReferenceDocument,
  referenceContexts,
} from '@petstore/site/reference/reference-site.ts';
import { bytesOf } from '@petstore/site/site/file-bytes.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import type { BuildInput, BuildResult } from '../artifact.ts';
import { limitsOf } from '../deploy-limits.ts';
import { pagesOf } from '../site-changes.ts';
import { ArtifactMaker } from './artifact/artifact-maker.ts';
import type { PackFiles } from './artifact/pack-files.ts';
import type { BuildService, BuiltDocument } from './build-service.ts';

/** undefined where nobody is there to ask: on the writer's machine. */
interface Making {
  readonly service: BuildService | undefined;
}

/**
 * Makes the site of an archive with guides: `docs.yaml`, Markdown pages, their images, and the OpenAPI document. The
 * problems of all of them are reported together. One without `docs.yaml` is made from its document alone. `pack` has got
 * files in vain where there are problems. `pages`: those of an earlier build of the same folder. Throws SiteLimitError.
 */
export async function makeSite(
  input: BuildInput,
  archive: SourceFiles,
  pack: PackFiles,
  log: BuildLog,
  { service, pages }: Making & { readonly pages?: PageCache | undefined },
): Promise<BuildResult> {
  const file = configFile(archive);
  if (file === undefined) return makeDocumentOf(archive, input, pack, log, service);
  if (input.document !== undefined) {
    const message = `The deploy names \`${input.document}\` as its document, but \`${file}\` says which one is published. Write it there, as \`openapi: ${input.document}\`.`;
    return { problems: [problemOf(message, file)] };
  }
  // Loaded here: most builds are of a document alone, and half of what a build loads is for guides.
  const { guidePages, guidesChangelog, guidesSite, imagesOf, overviewPath, pathsOf } = await import(
    '@petstore/site/guides/guides-site.ts'
  );
  const { config, problems } = readDocsConfig(archive, file);
  const files = withoutIgnored(archive, config.ignore);
  const artifact = new ArtifactMaker(pack);
  const {
    documents,
    built,
    problems: broken,
  } = await readDocuments(config.references, {
    ...{ input, files, artifact, log },
  });
  const isOff = guidesChangelog({ files, config }, {}).off !== undefined;
  const isWrong = problems.length + broken.length > 0;
  const api = isOff || isWrong ? undefined : await service?.changelogFor(built);
  const publication = publicationOf(input, api);
  const changelog = guidesChangelog({ files, config }, publication);
  const options = {
    ...{ overview: overviewPath(files, changelog), images: imagesOf(files) },
    ...{ paths: pathsOf(files, changelog), changelog: api },
  };
  const references = referenceContexts(documents, options, log);
  // The configuration may be wrong about which documents are meant.
  const mayLack = references.length === 0 || isListed(references);
  const isUnknown = broken.length > 0 || (problems.length > 0 && mayLack);
  const guides = await guidePages(
    { files, config, changelog, references: isUnknown ? 'unknown' : references },
    log,
    { buildSeconds: limitsOf(input).buildSeconds, cache: pages },
  );
  const all = [...problems, ...broken, ...guides.problems];
  if (all.length > 0) return { problems: all };
  const site = await guidesSite(
    { files, config, changelog, references },
    guides.pages,
    log,
    publication,
  );
  const made = await artifact.finish(site, log);
  const configured = new Set(config.redirects.map(({ from }) => from));
  // Notes of the changelog have no pages, and the configuration may link to them.
  const own = Object.keys(site.redirects ?? {}).filter((from) => !configured.has(from));
  const paths = new Set([...Object.keys(made.manifest.files), ...own]);
  const wrong = [...sitePathProblems(config, paths), ...redirectProblems(config, paths)];
  for (const finding of coveredPages(config, pagesOf(made.manifest))) log(finding);
  return wrong.length > 0 ? { problems: wrong } : { artifact: made };
}

const publicationOf = (input: BuildInput, changelog: Changelog | undefined): Publication => ({
  ...input.publication,
  changelog,
  limits: limitsOf(input).site,
});

function makeDocumentOf(
  files: SourceFiles,
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  service: BuildService | undefined,
): Promise<BuildResult> | { problems: BuildProblem[] } {
  const openapi = input.document ?? defaultDocument(files);
  const found =
    openapi === undefined ? findDocuments(files, limitsOf(input).uploadBytes) : [openapi];
  const [file = ''] = found;
  const bytes = found.length === 1 ? files.get(file) : undefined;
  if (!bytes) return { problems: [problemOf(whyNoDocument(found), input.name)] };
  log({ message: `There is no docs.yaml: \`${file}\` is published alone.` });
  warnOfPages(files, log);
  const document = { ...input, kind: 'document', bytes, name: file } as const;
  return makeDocument(document, pack, log, { service, files });
}

/** How many documents are named where one has to be chosen. */
const MAX_NAMED = 10;

/** Why an archive has no document to publish. `found`: those that it has, or the one that was named. */
function whyNoDocument(found: readonly string[]): string {
  const [first] = found;
  if (first === undefined)
    return `The archive has neither a \`docs.yaml\` nor an OpenAPI document: a YAML or JSON file with \`openapi\` or \`swagger\` at its top. A \`docs.yaml\` is at least:\n\n${MINIMAL_CONFIG}`;
  if (found.length === 1)
    return `The archive has no file \`${first}\`, which the deploy names as its document. Paths begin at the root of the archive, without a folder around all of its files, and files whose names begin with a dot are left out.`;
  const named = found.slice(0, MAX_NAMED).map((path) => `\`${path}\``);
  const more = found.length - named.length;
  return `The archive has ${found.length} OpenAPI documents: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Name those that are published in a \`docs.yaml\`; one alone as \`openapi: ${first}\`, several as:\n\n${MINIMAL_CONFIG}\nreferences:\n${listed(found)}`;
}

/** Documents as entries of `references`. */
const listed = (files: readonly string[]) =>
  files
    .slice(0, MAX_NAMED)
    .map((file) => `  - openapi: ${file}`)
    .join('\n');

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

/** Makes the site of a document alone, with the files that it refers to: its reference is at `/`. Throws SiteLimitError. */
export async function makeDocument(
  input: BuildInput,
  pack: PackFiles,
  log: BuildLog,
  { service, files }: Making & { readonly files?: SourceFiles },
): Promise<BuildResult> {
  const artifact = new ArtifactMaker(pack);
  const built: BuiltDocument[] = [];
  const checked = await readAndPack(input, files, artifact, log, { built });
  if ('problems' in checked) return checked;
  const changelog = await service?.changelogFor(built);
  log({ message: 'Making the pages' });
  const site = await documentSite(checked, log, publicationOf(input, changelog));
  return { artifact: await artifact.finish(site, log) };
}

interface ReadingDocuments {
  readonly input: BuildInput;
  readonly files: SourceFiles;
  readonly artifact: ArtifactMaker;
  readonly log: BuildLog;
}

/** Reads the documents of a configuration one after the other, and finds the problems of all. */
async function readDocuments(
  references: readonly ConfigReference[],
  { input, files, artifact, log }: ReadingDocuments,
): Promise<{
  documents: ReferenceDocument[];
  built: BuiltDocument[];
  problems: BuildProblem[];
}> {
  const documents: ReferenceDocument[] = [];
  const built: BuiltDocument[] = [];
  const problems: BuildProblem[] = [];
  const bytesOf = (name: string) => ({ name, bytes: files.get(name) as Uint8Array });
  for (const { file, overlays, address, title, description } of references) {
    if (address !== undefined) log({ message: `The reference \`${address}\` is of ${file}` });
    const checked = await readAndPack({ ...input, ...bytesOf(file) }, files, artifact, log, {
      ...{ address, built, overlays: overlays.map(bytesOf) },
    });
    if ('problems' in checked) problems.push(...checked.problems);
    else documents.push({ checked, address, title, description });
  }
  return { documents, built, problems };
}

interface ReadingReference {
  readonly address?: string | undefined;
  readonly overlays?: readonly OverlayFile[];
  /** Takes the document as it will be published. */
  readonly built: BuiltDocument[];
}

/** Reads and checks a document. Meanwhile it is packed as readers can download it, which has no need of its check. */
function readAndPack(
  input: BuildInput,
  files: SourceFiles | undefined,
  artifact: ArtifactMaker,
  log: BuildLog,
  { address, overlays = [], built }: ReadingReference,
): ReturnType<typeof readCheckedDocument> {
  const { uploadBytes } = limitsOf(input);
  return readCheckedDocument(input.bytes, input.name, log, {
    ...(files && { files: archiveFiles(files, uploadBytes) }),
    overlays,
    onRead: (document: OpenApiDocument) => {
      const downloads = downloadFiles(document, downloadPaths(address));
      artifact.begin(downloads);
      const [json] = downloads;
      if (json) built.push({ address: address ?? '', hash: hash('sha256', bytesOf(json), 'hex') });
    },
  });
}
