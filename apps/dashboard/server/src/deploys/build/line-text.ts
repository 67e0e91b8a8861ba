/** The line of a text in which an offset lies, without its end. */
export function lineText(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset - columnOf(text, offset), end < 0 ? undefined : end);
}

/** How many characters of its line come before an offset. */
export function columnOf(text: string, offset: number): number {
  return offset === 0 ? 0 : offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
