import { CopyButton } from './copy.tsx';

interface CodeBlockProps {
  readonly code: string;
  readonly what: string;
}

/** Text to copy. Long lines scroll beside the button and never below it. */
export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div className="flex min-w-0 items-start rounded-md border border-line bg-subtle">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="shows-more min-w-0 flex-1 overflow-x-auto rounded-l-md py-3 pl-3.5 font-mono text-[0.8125rem] leading-6"
      >
        <code>{code}</code>
      </pre>
      <div className="p-1.5">
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
