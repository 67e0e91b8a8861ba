/** A response's body, as far as it was read. */
export interface ReadBytes {
  readonly chunks: Uint8Array<ArrayBuffer>[];
  readonly size: number;
  /** Whether reading ended before the body did. */
  readonly isCut: boolean;
}

/** What a tab may hold. */
const MAX_BYTES = 100_000_000;

/** Reads a body to its end, and tells of each piece as it comes, with the size until then. */
export async function readBytes(
  { body }: Pick<Response, 'body'>,
  onChunk: (chunk: Uint8Array<ArrayBuffer>, size: number) => void,
): Promise<ReadBytes> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    chunks.push(read.value);
    size += read.value.length;
    onChunk(read.value, size);
    if (size <= MAX_BYTES) continue;
    await reader?.cancel();
    return { chunks, size, isCut: true };
  }
  return { chunks, size, isCut: false };
}
