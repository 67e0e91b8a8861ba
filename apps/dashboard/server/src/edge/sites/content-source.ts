import { hash } from 'node:crypto';
import type { ManifestEntry } from '../../deploys/artifact.ts';
import type { Form, PackedContent, Template } from './forms.ts';

/** Where to find a content. */
export interface ContentSource {
  /** Its name in memory. */
  readonly key: string;
  /** Of the blob. */
  readonly hash: string;
  /** A blob is a form of its own, with `identity` here; those of a template are made together. */
  readonly form: Form;
  readonly template?: Template | undefined;
  /** The blob that the content is unpacked from, where it is not stored itself. */
  readonly packed?: PackedContent | undefined;
}

/** Where a file's content is that is no template, without a coding. */
export function contentSource(entry: ManifestEntry): ContentSource {
  return {
    ...{ key: entry.hash, hash: entry.hash },
    ...{ form: 'identity', packed: packedContent(entry) },
  };
}

function packedContent({
  size,
  codings,
  compressedOnly,
}: ManifestEntry): PackedContent | undefined {
  if (!compressedOnly) return undefined;
  const coding = codings?.br ? 'br' : 'gzip';
  const blob = codings?.[coding];
  return blob && { hash: blob.hash, coding, size };
}

/** The name of a template's forms in memory. */
export function templateKey(content: string, template: Template): string {
  return `${content} ${template.origin} ${template.type}${editionMark(template)}`;
}

/** What a content is in one version of a site, and by the site's settings; empty where neither changes it. */
export function editionMark(template: Template): string {
  const { base = '', versions, isWithoutReaders, analytics, previewBar } = template;
  if (base === '' && !versions && !isWithoutReaders && !analytics && !previewBar) return '';
  const made = JSON.stringify([versions, isWithoutReaders, analytics, previewBar]);
  return ` ${base} ${hash('sha256', made, 'base64url')}`;
}
