/** A host name that may wrap after each of its dots, and if that is not enough, anywhere. */
export function BrokenName({ children }: { readonly children: string }) {
  const [first, ...rest] = children.split('.');
  return (
    <>
      {first}
      {rest.map((label, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the labels of one name never change places
        <span key={index}>
          .<wbr />
          {label}
        </span>
      ))}
    </>
  );
}
