/** The values of the cookies of a name in a Cookie header, in their order. */
export function cookieValues(header: string | undefined, name: string): string[] {
  // RFC 6265, section 5.4: pairs are separated by "; ". Other spaces are kept: a name with a space is another name.
  return (header ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
