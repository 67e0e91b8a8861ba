import { formatBytes } from '@petstore/service/text.ts';
import { isMap, type Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import type { ThemeFont } from '../site/theme.ts';
import { type ConfigReader, fileOf } from './config-reader.ts';
import { readWoff2 } from './woff2.ts';

/** A font of the archive. */
export interface ConfigFont extends Omit<ThemeFont, 'content'> {
  /** `fonts/inter.woff2` */
  readonly file: string;
}

/** In bytes. Readers wait for it: a font of one script in all weights has 50 to 150 kB. */
const MAX_BYTES = 500_000;

/** `theme.fonts`: `body` and `code`, each a file, or `regular` and `bold`. */
export function fontsOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node | undefined,
): ConfigFont[] {
  if (!node) return [];
  const at = reader.members(node, ['body', 'code'], '`theme.fonts`');
  return (['body', 'code'] as const).flatMap((use) => {
    const value = at.get(use);
    return value ? fontOf(reader, files, value, use) : [];
  });
}

function fontOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node,
  use: ConfigFont['use'],
): ConfigFont[] {
  const name = `\`theme.fonts.${use}\``;
  if (!isMap(node)) {
    const font = fontFile(reader, files, node, name);
    // Without a weight of its own, browsers make letters bold themselves.
    return font ? [{ use, weight: font.isVariable ? '100 900' : '400', file: font.file }] : [];
  }
  const at = reader.members(node, ['regular', 'bold'], name);
  const [regular, bold] = [at.get('regular'), at.get('bold')];
  if (!regular || !bold) {
    reader.problem(`${name} needs both \`regular\` and \`bold\`, or is one file.`, node);
    return [];
  }
  return [
    { weight: '400', font: fontFile(reader, files, regular, `\`theme.fonts.${use}.regular\``) },
    { weight: '700', font: fontFile(reader, files, bold, `\`theme.fonts.${use}.bold\``) },
  ].flatMap(({ weight, font }) => (font ? [{ use, weight, file: font.file }] : []));
}

/** A font's file. Reports a problem, and returns undefined, where it is missing, too large or no WOFF2. */
function fontFile(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node,
  name: string,
): { readonly file: string; readonly isVariable: boolean } | undefined {
  const file = fileOf(reader, files, node, name, /\.woff2$/i, 'a WOFF2 file (.woff2)');
  const bytes = file === undefined ? undefined : files.get(file);
  if (file === undefined || !bytes) return undefined;
  if (bytes.length > MAX_BYTES) {
    reader.problem(
      `\`${file}\` has ${formatBytes(bytes.length)}, and a font may have ${formatBytes(MAX_BYTES)}: leave out the scripts that the site does not use.`,
      node,
    );
    return undefined;
  }
  const font = readWoff2(bytes);
  if (font) return { file, ...font };
  reader.problem(`\`${file}\` is no whole WOFF2 font: convert it, or upload it again.`, node);
  return undefined;
}
