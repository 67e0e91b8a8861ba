import { findOperations } from '../openapi/operations.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { markdownPath, type SiteFile, TYPES } from '../site/site-files.ts';
import { limitFiles, SITE_LIMITS } from '../site/site-limits.ts';
import { modelListMarkdown, modelMarkdown } from './model-markdown.ts';
import { operationMarkdown } from './operation-markdown.ts';
import { MAX_LETTERS, pageBudget } from './schema-markdown.ts';
import { overviewMarkdown, tagMarkdown } from './tag-markdown.ts';

/**
 * The most letters of the schemas and examples of all operations of a site, and of all models. They repeat what others have, so
 * with very many pages each shows less of them.
 */
const ALL_LETTERS = 20_000_000;

const made = new WeakMap<ReferenceContext, readonly SiteFile[]>();

/**
 * Each page of a reference as Markdown, in the order in which readers go through them. They are made once, since
 * `/llms-full.txt` includes them. Throws SiteLimitError when they are too large.
 */
export function markdownFiles(
  context: ReferenceContext,
  limits = SITE_LIMITS,
): readonly SiteFile[] {
  const known = made.get(context);
  if (known) return known;
  // These pages alone must not exceed the limit of a site.
  const files = [...limitFiles(pages(context), limits)];
  made.set(context, files);
  return files;
}

function* pages(context: ReferenceContext): Generator<SiteFile> {
  const { addresses, checked, document } = context;
  const { overview, tags, webhooks, modelsPath, models } = addresses;
  const found = new Map(
    [...findOperations(document)].map((one, at) => [checked.operations[at], one] as const),
  );
  yield page(overview, overviewMarkdown(context));
  const room = roomOf(context, checked.operations.length);
  for (const tag of [...tags, ...(webhooks ? [webhooks] : [])]) {
    yield page(tag.path, tagMarkdown(context, tag));
    for (const summary of tag.operations) {
      const operation = found.get(summary);
      if (operation === undefined) continue;
      const content = operationMarkdown(context, summary, operation, pageBudget(context, room));
      yield page(addresses.operation(summary), content);
    }
  }
  if (modelsPath !== undefined) yield page(modelsPath, modelListMarkdown(context));
  const modelRoom = roomOf(context, models.length);
  for (const name of models) {
    const path = addresses.model(name);
    if (path !== undefined)
      yield page(path, modelMarkdown(context, name, pageBudget(context, modelRoom)));
  }
}

const roomOf = ({ share }: ReferenceContext, count: number) =>
  Math.min(MAX_LETTERS, Math.floor((share * ALL_LETTERS) / count));

function page(path: string, content: string): SiteFile {
  return { path: markdownPath(path), type: TYPES.markdown, content };
}
