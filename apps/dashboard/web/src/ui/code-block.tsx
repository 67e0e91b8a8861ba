import { CopyButton } from './copy.tsx';

interface CodeBlockProps {
  readonly code: string;
  readonly what: string;
}

/** Commands to copy. Long lines are scrolled within it. */
export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-line bg-subtle">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="overflow-x-auto py-3 pr-12 pl-3.5 font-mono text-[0.8125rem] leading-6"
      >
        <code>{code}</code>
      </pre>
      <div className="absolute top-1.5 right-1.5 rounded-md bg-subtle">
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
