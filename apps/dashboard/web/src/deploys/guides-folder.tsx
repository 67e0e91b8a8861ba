import { CodeBlock } from '../ui/code-block.tsx';

const EXAMPLE = `title: Petstore
openapi: openapi.yaml     # optional
navigation:               # optional
  - index.md
  - guides/start.md`;

/** The contents of a folder of guides, for those who have none yet. */
export function GuidesFolder() {
  return (
    <details>
      <summary className="w-fit rounded-sm font-medium">What goes into a folder of guides</summary>
      <p className="mt-2 mb-3 text-muted">
        Markdown pages, their images, and beside them a file docs.yaml. Only its title is required.
      </p>
      <CodeBlock code={EXAMPLE} what="example of docs.yaml" />
    </details>
  );
}
