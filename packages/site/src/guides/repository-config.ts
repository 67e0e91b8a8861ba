import { isScalar, type Node } from 'yaml';
import type { SourceConfig } from '../repository/source-links.ts';
import {
  isBranchInAddress,
  REPOSITORY_HOSTS,
  type RepositoryHost,
  webAddress,
} from '../repository/web-address.ts';
import type { ConfigReader } from './config-reader.ts';
import { readAddress } from './site-address.ts';
import { MAX_ADDRESS } from './site-links.ts';

/** A host's address of a file to edit, for a message. */
const EDIT_EXAMPLE = '`https://github.com/acme/docs/edit/main/{path}`';

/** `edit`: `false`, `true`, or `url`, an address with `{path}` in the place of a page's file. */
export function editOf(reader: ConfigReader, node: Node | undefined): SourceConfig['edit'] {
  if (!node) return undefined;
  if (isScalar(node) && typeof node.value === 'boolean') return node.value;
  if (isScalar(node)) {
    reader.problem(`\`edit\` must be \`true\`, \`false\`, or \`url\` with ${EDIT_EXAMPLE}.`, node);
    return undefined;
  }
  const url = reader.members(node, ['url'], '`edit`').get('url');
  if (!url) return undefined;
  const text = reader.text(url, '`edit.url`', MAX_ADDRESS);
  if (text === '') return undefined;
  // A path in the place of the host, or in front of it, would lead to another one for each page.
  if (/^https:\/\/[^/{}]+\/[^{}]*\{path\}[^{}]*$/.test(text) && readAddress(text, ['https:']))
    return { url: text };
  reader.problem(
    `\`edit.url\` must be an address such as ${EDIT_EXAMPLE}, with \`{path}\` once.`,
    url,
  );
  return undefined;
}

const MAX_BRANCH = 255;
const MAX_FOLDER = 500;

/** `repository`: `url`, `branch`, `folder` and `host`, each in place of what the deploy knows. */
export function repositoryOf(
  reader: ConfigReader,
  node: Node | undefined,
): SourceConfig['repository'] {
  if (!node) return undefined;
  const at = reader.members(node, ['url', 'branch', 'folder', 'host'], '`repository`');
  const url = at.get('url');
  const branch = at.get('branch');
  const folder = at.get('folder');
  const host = at.get('host');
  return {
    ...(url && { url: urlOf(reader, url) }),
    ...(branch && { branch: branchOf(reader, branch) }),
    ...(folder && { folder: folderOf(reader, folder) }),
    ...(host && { host: hostNameOf(reader, host) }),
  };
}

function urlOf(reader: ConfigReader, node: Node): string {
  const text = reader.text(node, '`repository.url`', MAX_ADDRESS);
  if (text === '') return '';
  const url = webAddress(text);
  if (url !== undefined) return url;
  reader.problem(
    '`repository.url` must be the address of a repository, such as `https://github.com/acme/docs`.',
    node,
  );
  return '';
}

function branchOf(reader: ConfigReader, node: Node): string {
  const text = reader.text(node, '`repository.branch`', MAX_BRANCH);
  if (text === '' || isBranchInAddress(text)) return text;
  reader.problem('`repository.branch` must be the name of a branch, such as `main`.', node);
  return '';
}

function folderOf(reader: ConfigReader, node: Node): string {
  const text = reader.text(node, '`repository.folder`', MAX_FOLDER);
  const folder = text.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '');
  if (folder === '.' || folder === '') return '';
  if (!folder.split('/').some((segment) => ['', '.', '..'].includes(segment))) return folder;
  reader.problem(
    '`repository.folder` must be the path of a folder from the root of the repository, such as `docs`; `.` is the root.',
    node,
  );
  return '';
}

function hostNameOf(reader: ConfigReader, node: Node): RepositoryHost | undefined {
  const value = isScalar(node) ? node.value : undefined;
  const host = REPOSITORY_HOSTS.find((one) => one === value);
  if (host) return host;
  const names = REPOSITORY_HOSTS.map((one) => `\`${one}\``).join(', ');
  reader.problem(`\`repository.host\` must be one of ${names}. Forgejo is \`gitea\`.`, node);
  return undefined;
}
