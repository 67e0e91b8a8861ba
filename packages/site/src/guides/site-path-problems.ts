import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../build-log.ts';
import { CHANGELOG } from '../changelog/changelog-paths.ts';
import { longestPrefix } from '../site/redirect-prefixes.ts';
import type { DocsConfig } from './docs-config.ts';
import { builtRedirects } from './site-redirects.ts';

/** The paths of a configuration that the site does not have, and those that it has where it must not. */
export function sitePathProblems(
  { file, sitePaths, redirects }: Pick<DocsConfig, 'file' | 'sitePaths' | 'redirects'>,
  /** Of all files of the site, such as `/guides/start`. */
  paths: ReadonlySet<string>,
): BuildProblem[] {
  const didYouMean = didYouMeanOfMany();
  const { redirects: redirected = {}, redirectPrefixes = {} } = builtRedirects(redirects);
  const isRedirected = (path: string) =>
    Object.hasOwn(redirected, path) || longestPrefix(redirectPrefixes, path) !== undefined;
  return sitePaths.flatMap(({ path, line, isFree }) => {
    const isThere = paths.has(path) || (!isFree && isRedirected(path));
    if (isThere !== isFree) return [];
    // A changelog is there once there is something in it.
    const hint =
      path === CHANGELOG.path
        ? ' yet: with `changelog: true` it has one from the start.'
        : didYouMean(path, paths);
    const message = isFree
      ? `\`${path}\` is a page or a file of the site, so nothing can redirect from there: remove one of both.`
      : `The site has no \`${path}\`${hint}`;
    return [{ message, path: file, line }];
  });
}
