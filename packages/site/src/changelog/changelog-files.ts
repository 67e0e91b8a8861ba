import type { SearchDocument } from '../search/search-document.ts';
import type { SiteFrame } from '../site/frame.ts';
import { pageFiles } from '../site/page-layout.ts';
import { markdownPath, type SiteFile, TYPES } from '../site/site-files.ts';
import { CHANGELOG_STATE, changelogText } from './changelog.ts';
import { changelogContent, changelogToc, leadOf } from './changelog-content.ts';
import { changelogMarkdown } from './changelog-markdown.ts';
import { CHANGELOG } from './changelog-paths.ts';
import { changelogDocuments } from './changelog-search.ts';
import { feedFiles } from './feeds.ts';
import type { SiteChangelog } from './site-changelog.ts';

/** A changelog as the parts of a site take it. */
export interface WrittenChangelog {
  readonly markdown: string;
  readonly documents: readonly SearchDocument[];
  readonly files: (frame: SiteFrame) => Iterable<SiteFile>;
}

/** Writes a changelog. `markdownOf`: of a note's file, without its front matter. */
export function writtenChangelog(
  changelog: SiteChangelog,
  markdownOf: (file: string) => string = () => '',
): WrittenChangelog {
  const markdown = changelogMarkdown(changelog, markdownOf);
  return {
    markdown,
    documents: changelogDocuments(changelog),
    files: (frame) => filesOf(changelog, markdown, frame),
  };
}

/** Its page with its Markdown, its feeds, and what the next deploy goes on with. */
function* filesOf(
  changelog: SiteChangelog,
  markdown: string,
  frame: SiteFrame,
): Generator<SiteFile> {
  const { path, title } = CHANGELOG;
  const description = leadOf(changelog);
  yield* pageFiles(frame, {
    place: { path, part: undefined },
    ...{ title, description },
    crumbs: [],
    kind: 'guide',
    content: changelogContent(changelog),
    beside: changelogToc(changelog),
    previous: undefined,
    next: undefined,
    preview: { title, description, label: undefined, operation: undefined },
  });
  yield { path: markdownPath(path), type: TYPES.markdown, content: markdown };
  yield* feedFiles(changelog);
  if (changelog.api.entries.length > 0)
    yield { path: CHANGELOG_STATE, type: TYPES.json, content: changelogText(changelog.api) };
}
