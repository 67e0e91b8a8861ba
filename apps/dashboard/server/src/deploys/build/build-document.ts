import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { makeArtifact } from './artifact/make-artifact.ts';
import { readCheckedDocument } from './document/checked-document.ts';
import { commonFiles } from './site/common-files.ts';
import { frameFiles } from './site/frame.ts';
import { documentFrame, framedReference } from './site/framed-reference.ts';
import { indexFiles } from './site/index-files.ts';
import { contentSecurityPolicy, descriptionOf, titleOf } from './site/reference-files.ts';
import { siteFiles } from './site/site-files.ts';

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
  log({ level: 'info', message: `Generated ${files.all().length} files` });
  const site = {
    title,
    files: files.all(),
    contentSecurityPolicy: contentSecurityPolicy(checked.upgraded),
  };
  return { artifact: await makeArtifact(site, log) };
}
