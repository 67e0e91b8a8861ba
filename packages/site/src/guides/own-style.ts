import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { formatBytes } from '@petstore/service/text.ts';
import type { BuildProblem, SourceFiles } from '../build-log.ts';
import { decodeUri } from '../syntax/decode-uri.ts';
import { lineNestedTooDeeply } from './css-nesting.ts';
import { isImage } from './links/site-paths.ts';

/** In bytes. Readers wait for it before they see a page. */
const MAX_BYTES = 100_000;

/** Functions that name files as text, or run code in browsers of old; none of them is needed. */
const REFUSED = new Set(['expression', 'src', 'image', 'image-set', '-webkit-image-set']);

/**
 * Reads the style of `theme.css`, which exists. What comes out is written anew from what was read, so that browsers
 * read what was checked. Problems have the style's own lines. The style loads images of the archive and nothing else.
 */
export async function ownStyle(
  files: SourceFiles,
  file: string,
): Promise<{ readonly content: Uint8Array; readonly problems: readonly BuildProblem[] }> {
  const code = files.get(file) ?? new Uint8Array();
  const problems: BuildProblem[] = [];
  const problem = (message: string, line: number | null) =>
    problems.push({ message, path: file, line });
  if (code.length > MAX_BYTES) {
    const size = formatBytes(code.length);
    problem(`The style has ${size}, and may have ${formatBytes(MAX_BYTES)}.`, null);
    return { content: code, problems };
  }
  const deep = lineNestedTooDeeply(new TextDecoder().decode(code));
  if (deep !== undefined) {
    problem('The style is nested too deeply here.', deep);
    return { content: code, problems };
  }
  const { transform } = await import('lightningcss');
  try {
    const { dependencies } = transform({
      ...{ filename: file, code, analyzeDependencies: true },
      visitor: {
        Function({ name }) {
          if (REFUSED.has(name.toLowerCase()))
            problem(`\`${name}()\` is not allowed here: use \`url()\`.`, lineOf(code, name));
        },
      },
    });
    for (const found of dependencies ?? []) {
      if (found.type === 'import')
        problem('`@import` is not allowed: put its rules into this file.', found.loc.start.line);
      const wrong = found.type === 'url' ? addressProblem(found.url, files) : undefined;
      if (found.type === 'url' && wrong) problem(wrong, found.loc.start.line);
    }
    return { content: transform({ filename: file, code, minify: true }).code, problems };
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number } };
    // Whatever else fails is a defect of ours.
    if (!loc) throw error;
    problem(`The style cannot be read: ${message}.`, loc.line);
    return { content: code, problems };
  }
}

/** What is wrong with the address of a `url()`; undefined for nothing. */
function addressProblem(url: string, files: SourceFiles): string | undefined {
  if (url.startsWith('#')) return undefined;
  if (!/^\/(?![/\\])/.test(url))
    return `\`url(${url})\` must be an image of the archive, by its path from the top: \`url(/images/line.svg)\`.`;
  const path = decodeUri(url.replace(/[?#].*$/, '').slice(1)).normalize('NFC');
  if (files.has(path) && isImage(path)) return undefined;
  const images = [...files.keys()].filter(isImage);
  return files.has(path)
    ? `\`${path}\` is no image. Fonts belong under \`theme.fonts\` of docs.yaml.`
    : `\`${path}\` is not in the archive${didYouMeanOfMany()(path, images)}`;
}

/** The first line that has a function with a name; null where it is written with escapes. */
function lineOf(code: Uint8Array, name: string): number | null {
  const before = new TextDecoder().decode(code).split(`${name}(`, 2);
  return before.length < 2 ? null : (before[0] ?? '').split('\n').length;
}
