/** A sentence in which `what stands between these marks` is code. */
export function WithCode({ children }: { readonly children: string }) {
  const parts = children.split('`');
  // The marks come in pairs; otherwise they are ordinary characters.
  if (parts.length % 2 === 0) return children;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
      <code key={index} className="rounded bg-subtle px-1 py-px font-mono text-[0.8125rem]">
        {part}
      </code>
    ),
  );
}
