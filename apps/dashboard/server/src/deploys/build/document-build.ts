import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { makeArtifact } from './artifact.ts';
import { commonFiles } from './common-files.ts';
import { readCheckedDocument } from './document-files.ts';
import { documentFrame, framedReference } from './guides/framed-reference.ts';
import { frameFiles } from './guides/header.ts';
import { indexFiles } from './index-files.ts';
import { contentSecurityPolicy, descriptionOf, titleOf } from './reference-site.ts';
import { siteFiles } from './site-limits.ts';

/** Builds the site of a document alone: its reference is at `/`. */
export async function buildDocument(input: BuildInput, log: BuildLog): Promise<BuildResult> {
  const checked = await readCheckedDocument(input.bytes, input.name, log);
  if ('problems' in checked) return checked;
  log({ level: 'info', step: 'render', message: 'Making the pages' });
  const title = titleOf(checked.upgraded);
  const referencePath = '/';
  const frame = documentFrame(checked, log);
  const files = siteFiles();
  files.add(await framedReference(checked, frame, referencePath));
  files.add(frameFiles(frame));
  files.add(
    indexFiles({
      title,
      description: descriptionOf(checked.upgraded),
      pages: [],
      referencePath,
      checked,
    }),
  );
  files.add(commonFiles(frame));
  log({ level: 'info', message: `Made ${files.all().length} files` });
  const site = {
    title,
    files: files.all(),
    contentSecurityPolicy: contentSecurityPolicy(checked.upgraded),
  };
  return { artifact: await makeArtifact(site, log) };
}
