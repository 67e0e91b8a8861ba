import { parseJson } from '../syntax/exact-text.ts';
import { toYaml } from '../syntax/exact-yaml.ts';
import { drawPreview } from './preview/draw-preview.ts';
import type { SiteFile } from './site-files.ts';

/** What a file's content is as bytes. A preview image is drawn, which takes two milliseconds, and YAML written. */
export function bytesOf({ content }: Pick<SiteFile, 'content'>): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array)
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return 'yamlOf' in content
    ? Buffer.from(toYaml(parseJson(content.yamlOf)))
    : drawPreview(content);
}
