import { hash } from 'node:crypto';
import { bytesOf } from '@petstore/site/site/file-bytes.ts';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import type { KeepBlob, ManifestEntry } from '../../deploys/artifact.ts';
import type { PackFiles } from '../../deploys/build/artifact/pack-files.ts';
import { reloadTag } from './reload-tag.ts';

/**
 * Packs the files of a site for `dashboard dev`. They are not compressed, which takes longer than to make them, and
 * saves nothing on the way to this machine; and pages load the script that loads them anew.
 */
export function devPacker(build: string, keep: KeepBlob): PackFiles {
  const kept = new Set<string>();
  const tag = `${reloadTag(build).text}</head>`;
  const pack = (file: SiteFile): ManifestEntry => {
    const content = contentOf(file, tag);
    const contentHash = hash('sha256', content, 'hex');
    if (!kept.has(contentHash)) keep(contentHash, content);
    kept.add(contentHash);
    return {
      ...{ hash: contentHash, size: content.length, type: file.type },
      ...(file.immutable && { immutable: true }),
      ...(file.template && { template: true }),
    };
  };
  return (files) => files.map(pack);
}

function contentOf(file: SiteFile, tag: string): Uint8Array {
  const { content, type } = file;
  const isPage = typeof content === 'string' && type.startsWith('text/html');
  return isPage ? Buffer.from(content.replace('</head>', () => tag)) : bytesOf(file);
}
