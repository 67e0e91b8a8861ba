import type { Manifest } from '../deploys/artifact.ts';
import type { Redirect } from '../deploys/redirects.ts';
import { encodePath } from '../edge/http/edge-request.ts';
import { fileAt } from '../edge/sites/manifest-paths.ts';
import { moved } from '../edge/sites/site-files.ts';
import type { Site } from '../edge/sites/site-source.ts';
import type { SitePart } from './site-parts.ts';

/** A redirect of an exported site. It counts where there is no file. */
export interface ExportedRedirect {
  /** A path, percent-encoded. Of a prefix without its last slash: the path itself and all below it. */
  readonly from: string;
  readonly to: string;
  readonly status: Redirect['status'];
  readonly isPrefix: boolean;
  /** Of a prefix: the rest of the path comes behind `to`, which ends with a slash. */
  readonly keepsRest: boolean;
}

/** The redirects of a part of a site: those of its docs.yaml, and of the icon that every browser asks for. */
export function redirectsOf({ site, base, has }: SitePart, manifest: Manifest): ExportedRedirect[] {
  const target = (value: string | { to: string; status?: 301 | 302; keepsRest?: true }) => {
    const {
      to,
      status = 308,
      keepsRest = false,
    } = typeof value === 'string' ? { to: value } : value;
    return { to: moved(site, to), status, keepsRest } as const;
  };
  const isWanted = ([path]: readonly [string, unknown]) => has(path) && !fileAt(manifest, path);
  const exact = Object.entries(manifest.redirects ?? {}).filter(isWanted);
  const icon = { from: `${base}/favicon.ico`, to: `${base}/favicon.svg`, status: 302 } as const;
  const hasIcon = has('/favicon.ico') && fileAt(manifest, '/favicon.svg');
  const isIconTaken = fileAt(manifest, '/favicon.ico') ?? manifest.redirects?.['/favicon.ico'];
  return [
    ...exact.map(([path, value]) => ({
      ...{ from: base + encodePath(path), ...target(value) },
      ...{ isPrefix: false, keepsRest: false },
    })),
    ...(hasIcon && !isIconTaken ? [{ ...icon, isPrefix: false, keepsRest: false }] : []),
    ...Object.entries(manifest.redirectPrefixes ?? {})
      .filter(([path]) => has(path))
      // The longest first, as hosts take the first rule that fits.
      .toSorted(([one], [other]) => other.length - one.length)
      .map(([path, value]) => ({
        ...{ from: base + encodePath(path.replace(/\/$/, '')), ...target(value) },
        isPrefix: true,
      })),
  ];
}

/**
 * What a site with versions redirects between them. `ofDefault`: the manifest of the default version, where that has a
 * prefix: what is at the root then leads there.
 */
export function versionRedirects(
  { versions, only, leadsVersions }: Site,
  ofDefault: Manifest | undefined,
): ExportedRedirect[] {
  if (!versions || only) return [];
  const base = versions.defaultVersion === undefined ? '' : `/${versions.defaultVersion}`;
  const retired = versions.all
    .filter(({ artifactHash }) => artifactHash === undefined)
    .map(({ name }) => prefix(`/${name}`, `${base}/`, 301));
  const elsewhere = versions.all.flatMap(({ name, artifactHash, origin }) =>
    leadsVersions && artifactHash !== undefined && origin !== undefined
      ? [prefix(`/${name}`, `${origin}/`, 301)]
      : [],
  );
  if (!ofDefault) return [...retired, ...elsewhere];
  const names = new Set(versions.all.map(({ name }) => name));
  // One rule for all paths would also take those that have a file, on hosts that ask the rules first.
  const first = new Set(Object.keys(ofDefault.files).map((path) => path.split('/', 2)[1] ?? ''));
  const led = [...first].filter((name) => !['', '404.html', ...names].includes(name));
  return [
    ...retired,
    ...elsewhere,
    { from: '/', to: base, status: 302, isPrefix: false, keepsRest: false },
    ...led.map((name) => {
      const encoded = encodePath(`/${name}`);
      return prefix(encoded, `${base + encoded}/`, 302);
    }),
  ];
}

const prefix = (from: string, to: string, status: Redirect['status']): ExportedRedirect => ({
  ...{ from, to, status },
  ...{ isPrefix: true, keepsRest: true },
});

/** Without its last slash, unless it is the root. */
const withoutSlash = (to: string) => (/^\/./.test(to) ? to.replace(/\/$/, '') : to);

/** The file `_redirects` that Netlify and Cloudflare Pages read. */
export function redirectsFile(redirects: readonly ExportedRedirect[]): string {
  return redirects
    .flatMap(({ from, to, status, isPrefix, keepsRest }) => {
      if (!isPrefix) return [`${from} ${to} ${status}`];
      return [
        `${from} ${keepsRest ? withoutSlash(to) : to} ${status}`,
        `${from}/* ${keepsRest ? `${to}:splat` : to} ${status}`,
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** A configuration for nginx: the server with its redirects, which keeps the addresses as they were. */
export function nginxConf(host: string, redirects: readonly ExportedRedirect[]): string {
  const exact = redirects.filter(({ isPrefix }) => !isPrefix);
  const prefixes = redirects.filter(({ isPrefix }) => isPrefix);
  return `# Put this beside nginx's other servers, and the folder "site" where "root" says.
server {
  listen 80;
  listen [::]:80;
  server_name ${host};
  root /var/www/${host};

  absolute_redirect off;
  default_type application/octet-stream;
  include mime.types;
  charset utf-8;
  charset_types text/html text/css text/plain text/markdown text/xml application/javascript application/json;
  error_page 404 /404.html;

  location / {
    try_files $uri $uri/index.html ${prefixes.length > 0 ? '@prefixes' : '=404'};
  }

${exact.map(nginxExact).join('')}${nginxPrefixes(prefixes)}}
`;
}

function nginxExact({ from, to, status }: ExportedRedirect): string {
  // "location" compares decoded paths.
  const path = quoted(decodeURIComponent(from));
  return `  location = ${path} { return ${status} ${quoted(withQuery(escaped(to)))}; }\n`;
}

/** By the request's own path, which is encoded: a decoded one could put a line into the response's head. */
function nginxPrefixes(prefixes: readonly ExportedRedirect[]): string {
  if (prefixes.length === 0) return '';
  const rules = prefixes.map(({ from, to, status, keepsRest }) => {
    const path = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const target = keepsRest ? escaped(to) : withQuery(escaped(to));
    const own = withQuery(escaped(keepsRest ? withoutSlash(to) : to));
    return [
      `    if ($request_uri ~ ${quoted(`^${path}/?(?:[?]|$)`)}) { return ${status} ${quoted(own)}; }\n`,
      keepsRest
        ? `    if ($request_uri ~ ${quoted(`^${path}/+([^?]+)`)}) { return ${status} ${quoted(`${target}$1$is_args$args`)}; }\n`
        : `    if ($request_uri ~ ${quoted(`^${path}/`)}) { return ${status} ${quoted(target)}; }\n`,
    ].join('');
  });
  return `\n  location @prefixes {\n${rules.join('')}    return 404;\n  }\n`;
}

/** A target with the request's query, unless it has one or a fragment of its own. */
const withQuery = (to: string) => (/[?#]/.test(to) ? to : `${to}$is_args$args`);

/** A dollar begins a variable in nginx. */
const escaped = (to: string) => to.replaceAll('$', '%24');

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
