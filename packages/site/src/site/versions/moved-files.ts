// A site names its own files by paths from the root. A version of it is served below a prefix: what its files name is
// moved there when they are served, so that one artifact is at the root, on previews and in versions alike.

/** A tag of a page. Pages are written by code that escapes each `<` of a text and each `"` of a value. */
export const TAG = /<[a-z][^\s"<>/]*(?:\s+[^\s"<>=/]+(?:="[^"]*")?)*\s*\/?>/gi;

const ADDRESS = /(\s(?:href|src|action|data-more)=")\/(?![/\\])(?=([?#"])?)/g;

/** Of a preview image, whose address is whole, and of a file that scripts load. */
const ASSET = /(\scontent="(?:https?:\/\/[^/"]+)?)(?=\/_assets\/)/;

/** A page whose links and files are below a prefix, such as `/v2`. Scripts of the page find the prefix in `data-base`. */
export function movedPage(page: string, base: string): string {
  return page.replace(TAG, (tag) => {
    if (tag.startsWith('<html')) return `${tag.slice(0, -1)} data-base="${base}">`;
    if (tag.startsWith('<meta')) return tag.replace(ASSET, `$1${base}`);
    // The start page is at the prefix itself.
    return tag.replace(ADDRESS, (_, before: string, end: string | undefined) =>
      end === undefined ? `${before}${base}/` : before + base,
    );
  });
}

/** A style whose files are below a prefix. */
export function movedStyle(style: string, base: string): string {
  return style.replace(/(\burl\(\s*["']?)\/(?![/\\])/g, `$1${base}/`);
}

const FENCE = /^\s*(`{3,}|~{3,})/;

/** A destination in brackets, or that of a definition. */
const DESTINATION = /(\]\(<?|^\s{0,3}\[[^\]]*\]:\s*<?)\/(?!\/)/g;

/** Markdown whose links from the root are below a prefix. Blocks of code stay. */
export function movedMarkdown(markdown: string, base: string): string {
  let fence: string | undefined;
  const lines = markdown.split('\n').map((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark === undefined) return line.replace(DESTINATION, `$1${base}/`);
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return line;
  });
  return lines.join('\n');
}
