/** A name and all above it but the root: `a.b.c`, `b.c`, `c`. */
export function namesUpFrom(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}
