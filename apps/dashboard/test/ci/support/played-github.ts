import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Answer, type Asked, pageOf, serveJson } from './comment-host.ts';

/** The operations for comments, of GitHub's own document. `x-source` says where it is from. */
const DOCUMENT = JSON.parse(
  readFileSync(new URL('../fixtures/github-comments.json', import.meta.url), 'utf8'),
);

const LIST = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const ONE = '/repos/{owner}/{repo}/issues/comments/{comment_id}';

export interface PlayedComment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  edits: number;
}

export interface PlayedGithub {
  readonly origin: string;
  readonly comments: PlayedComment[];
  /** A comment of somebody else. */
  add(issue: number, author: string, body: string): void;
  /** From now on every request gets this status. */
  refuseWith: number | undefined;
}

/** The token of `github-actions[bot]`. */
export const TOKEN = 'ghs_played';

/**
 * Plays the part of GitHub's REST interface that comments need, for the repository ada/pets. Requests and responses are
 * held to GitHub's document: what is against it gets 422, as there.
 */
export async function playGithub(t: Ending): Promise<PlayedGithub> {
  const comments: PlayedComment[] = [];
  const add = (issue: number, author: string, body: string): PlayedComment => {
    const comment = { id: 1_000 + comments.length, issue, author, body, edits: 0 };
    comments.push(comment);
    return comment;
  };
  const host: PlayedGithub = { origin: '', comments, add, refuseWith: undefined };

  const respond = (asked: Asked): Answer => {
    const { authorization } = asked.headers;
    if (host.refuseWith !== undefined) return refusal(host.refuseWith);
    if (authorization !== `Bearer ${TOKEN}`) return refusal(401);
    const issue = Number(/^\/repos\/ada\/pets\/issues\/(\d+)\/comments$/.exec(asked.path)?.[1]);
    const id = Number(/^\/repos\/ada\/pets\/issues\/comments\/(\d+)$/.exec(asked.path)?.[1]);
    const shown = (comment: PlayedComment) => present(comment, host.origin);
    if (issue && asked.method === 'GET') {
      checkQuery(asked.query);
      const page = pageOf(
        comments.filter((one) => one.issue === issue),
        asked.query,
      );
      return held(LIST, 'get', { status: 200, body: page.map(shown) });
    }
    if (issue && asked.method === 'POST') {
      const body = readBody(LIST, 'post', asked);
      if (body === undefined) return refusal(422);
      return held(LIST, 'post', { status: 201, body: shown(add(issue, BOT, body)) });
    }
    const found = comments.find((one) => one.id === id);
    if (found && asked.method === 'PATCH') {
      const body = readBody(ONE, 'patch', asked);
      if (body === undefined) return refusal(422);
      found.body = body;
      found.edits += 1;
      return held(ONE, 'patch', { status: 200, body: shown(found) });
    }
    return refusal(404);
  };
  const origin = await serveJson(t, respond);
  return Object.assign(host, { origin });
}

const BOT = 'github-actions[bot]';

/** The most letters that GitHub takes; its document does not say so. */
const MAX_LETTERS = 65_536;

function readBody(path: string, method: string, { body, headers }: Asked): string | undefined {
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  const value: { body: string } = JSON.parse(body);
  const isValid: boolean = validator(requestSchema(path, method))(value);
  return isValid && value.body.length <= MAX_LETTERS ? value.body : undefined;
}

const requestSchema = (path: string, method: string): object =>
  DOCUMENT.paths[path][method].requestBody.content['application/json'].schema;

/** A query that GitHub would read. */
function checkQuery(query: URLSearchParams): void {
  const names = DOCUMENT.paths[LIST].get.parameters
    .map(({ $ref }: { $ref: string }) => DOCUMENT.components.parameters[$ref.replace(/.*\//, '')])
    .filter((parameter: { in: string }) => parameter.in === 'query')
    .map(({ name }: { name: string }) => name);
  for (const name of query.keys()) assert.ok(names.includes(name), `the query ${name}`);
}

/** An answer that is as GitHub's document has it: what is played is what is real. */
function held(path: string, method: string, answer: Answer): Answer {
  const { schema } =
    DOCUMENT.paths[path][method].responses[answer.status].content['application/json'];
  const validate = validator(schema);
  assert.ok(validate(answer.body), JSON.stringify(validate.errors));
  return answer;
}

const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'github', ...DOCUMENT });

function validator(schema: object): ValidateFunction {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"github#/'));
  return ajv.compile(absolute);
}

function present({ id, issue, author, body }: PlayedComment, origin: string): object {
  const url = `${origin}/users/${author}`;
  const links = [
    ...['url', 'html_url', 'followers_url', 'following_url', 'gists_url', 'starred_url'],
    ...['subscriptions_url', 'organizations_url', 'repos_url', 'events_url', 'received_events_url'],
  ];
  return {
    id,
    node_id: `IC_${id}`,
    url: `${origin}/repos/ada/pets/issues/comments/${id}`,
    html_url: `https://github.com/ada/pets/pull/${issue}#issuecomment-${id}`,
    issue_url: `${origin}/repos/ada/pets/issues/${issue}`,
    body,
    author_association: 'NONE',
    created_at: '2026-11-25T12:00:00Z',
    updated_at: '2026-11-25T12:00:00Z',
    user: {
      ...{ login: author, id: 1, node_id: 'U_1', avatar_url: url, gravatar_id: '' },
      ...Object.fromEntries(links.map((name) => [name, url])),
      ...{ type: author === BOT ? 'Bot' : 'User', site_admin: false },
    },
  };
}

const refusal = (status: number): Answer => ({
  status,
  body: { message: STATUS_CODES[status], documentation_url: 'https://docs.github.com/rest' },
});
