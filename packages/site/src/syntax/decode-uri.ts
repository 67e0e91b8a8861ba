/** A text without its percent-encoding, or as it is where that is wrong. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
