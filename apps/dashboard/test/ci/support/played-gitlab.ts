import type { Ending } from '@petstore/test-support/clean-up.ts';
import { type Answer, type Asked, pageOf, serveJson } from './comment-host.ts';

export interface PlayedNote {
  readonly id: number;
  readonly author: number;
  body: string;
  edits: number;
}

export interface PlayedGitlab {
  /** `CI_API_V4_URL`. */
  readonly api: string;
  /** The notes of the merge request 7. */
  readonly notes: PlayedNote[];
  /** A note of somebody else. */
  add(author: number, body: string): void;
}

/** The project access token of the account SELF. */
export const TOKEN = 'glpat-played';
const SELF = 42;

/** Plays the part of GitLab's REST interface that notes need, for the merge request 7 of the project 3. */
export async function playGitlab(t: Ending): Promise<PlayedGitlab> {
  const notes: PlayedNote[] = [];
  const add = (author: number, body: string): PlayedNote => {
    const note = { id: 500 + notes.length, author, body, edits: 0 };
    notes.push(note);
    return note;
  };
  const present = ({ id, author, body }: PlayedNote) => ({ id, body, author: { id: author } });

  const origin = await serveJson(t, ({ method, path, query, headers, body }: Asked): Answer => {
    if (headers['private-token'] !== TOKEN)
      return { status: 401, body: { message: '401 Unauthorized' } };
    if (path === '/api/v4/user') return { status: 200, body: { id: SELF, username: 'docs-bot' } };
    const [, id] =
      /^\/api\/v4\/projects\/3\/merge_requests\/7\/notes(?:\/(\d+))?$/.exec(path) ?? [];
    const found = notes.find((note) => `${note.id}` === id);
    if (method === 'GET' && path.endsWith('/notes'))
      return { status: 200, body: pageOf(notes, query).map(present) };
    if (method === 'POST' && path.endsWith('/notes'))
      return { status: 201, body: present(add(SELF, JSON.parse(body).body)) };
    if (method === 'PUT' && found) {
      found.body = JSON.parse(body).body;
      found.edits += 1;
      return { status: 200, body: present(found) };
    }
    return { status: 404, body: { message: '404 Not found' } };
  });
  return { api: `${origin}/api/v4`, notes, add };
}
