// WOFF2 (https://www.w3.org/TR/WOFF2/), as far as a font's file has to be known before it is published.

const SIGNATURE = 'wOF2';

/** In bytes: the header in front of the list of tables. */
const HEADER = 48;

/** The index of `fvar` among the tags that the standard gives numbers to (section 4.1). */
const FVAR = 47;

/** Of tables whose tag stands behind their flags. */
const OTHER_TAG = 63;

/** The tables that are stored otherwise than in a font, unless they say so: `glyf` and `loca`. */
const TRANSFORMED = new Set([10, 11]);

/** What a file says of itself; undefined for one that is no whole WOFF2 font. */
export function readWoff2(bytes: Uint8Array): { readonly isVariable: boolean } | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < HEADER || file.toString('latin1', 0, 4) !== SIGNATURE) return undefined;
  if (file.readUInt32BE(8) !== file.length) return undefined;
  const tags = tableTags(file, file.readUInt16BE(12));
  return tags && { isVariable: tags.includes(FVAR) };
}

/** The numbers of the tables' tags; undefined where the list goes on behind the end. */
function tableTags(file: Buffer, count: number): number[] | undefined {
  const tags: number[] = [];
  let at = HEADER;
  const skipNumber = () => {
    // UIntBase128: the last byte has no highest bit.
    while ((file[at] ?? 0) & 0x80) at += 1;
    at += 1;
  };
  for (let table = 0; table < count; table += 1) {
    const flags = file[at] ?? 0;
    at += 1;
    const [tag, version] = [flags & 63, flags >> 6];
    if (tag === OTHER_TAG) at += 4;
    skipNumber();
    const isTransformed = TRANSFORMED.has(tag) ? version !== 3 : version !== 0;
    if (isTransformed) skipNumber();
    if (at > file.length) return undefined;
    tags.push(tag);
  }
  return tags;
}
