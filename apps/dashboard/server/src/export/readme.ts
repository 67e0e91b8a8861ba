/** What whoever unpacks an exported site reads first. */
export function readme(host: string): string {
  return `# The site of ${host}, as files

- \`site/\` is the site. Put its files at the root of ${host}, on any web server or static host. The page at
  \`/guides/start\` is the file \`site/guides/start/index.html\`, so its address stays as it was. The page for missing
  addresses is \`site/404.html\`.
- \`site/_redirects\` has the redirects as Netlify and Cloudflare Pages read them. Neither has to be told.
- \`nginx.conf\` has the same for nginx, with a server for the site.
- \`redirects.json\` has them for everything else: \`from\` is a path, or with \`isPrefix\` that path and all below it;
  with \`keepsRest\` the rest of the path comes behind \`to\`. A redirect counts where there is no file.

What a file cannot do is not in here: questions of assistants at \`/mcp\`, requests that the site passes on to an API,
Markdown in place of a page by the header \`Accept\` (it is at the page's address with \`.md\`, as before), and the
headers of responses, such as \`Content-Security-Policy\`.
`;
}
