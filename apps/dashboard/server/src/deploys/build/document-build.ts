import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { makeArtifact } from './artifact.ts';
import { commonFiles } from './common-files.ts';
import { readCheckedDocument } from './document-files.ts';
import { indexFiles } from './index-files.ts';
import { contentSecurityPolicy, descriptionOf, referenceFiles, titleOf } from './reference-site.ts';

/** Builds the site of a document alone: its reference is at `/`. */
export async function buildDocument(input: BuildInput, log: BuildLog): Promise<BuildResult> {
  const checked = await readCheckedDocument(input.bytes, input.name, log);
  if ('problems' in checked) return checked;
  log({ level: 'info', step: 'render', message: 'Making the pages' });
  const title = titleOf(checked.upgraded);
  const referencePath = '/';
  const files = [
    ...(await referenceFiles(checked, { pagePath: referencePath })),
    ...indexFiles({
      title,
      description: descriptionOf(checked.upgraded),
      pages: [],
      referencePath,
      checked,
    }),
    ...commonFiles(title),
  ];
  log({ level: 'info', message: `Made ${files.length} files` });
  const site = {
    title,
    files,
    contentSecurityPolicy: contentSecurityPolicy(checked.upgraded),
  };
  return { artifact: await makeArtifact(site, log) };
}
