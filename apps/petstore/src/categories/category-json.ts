/** A Category as JSON text, byte for byte as the databases write it. */
export function categoryJson(id: bigint, name: string): string {
  return `{"id":${id},"name":${JSON.stringify(name)}}`;
}
