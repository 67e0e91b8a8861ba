import type { CreatedToken } from '../../server/src/accounts/account.ts';
import type { Scope } from '../../server/src/accounts/permissions.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { CreatedInvitation, Project } from '../../server/src/projects/project.ts';
import type { Role } from '../../server/src/store/schema/projects.ts';
import { json, type Service, type Visitor } from './service.ts';

/** The least that is an OpenAPI document. */
export const documentTitled = (title: string) =>
  JSON.stringify({ openapi: '3.1.0', info: { title, version: '1' }, paths: {} });

export async function createProject(owner: Visitor, slug: string): Promise<Project> {
  return json(await owner.call('POST', '/api/projects', { name: slug, slug }), 201);
}

/** Invites an address; the secret in the link. */
export async function invite(
  owner: Visitor,
  slug: string,
  email: string,
  role: Role = 'viewer',
): Promise<string> {
  const path = `/api/projects/${slug}/invitations`;
  const made = await json<CreatedInvitation>(await owner.call('POST', path, { email, role }), 201);
  return (made.link ?? '').replace(/^.*\/invitations\//, '');
}

export async function accept(guest: Visitor, secret: string): Promise<Project> {
  return json(await guest.call('POST', `/api/invitations/${secret}/accept`));
}

/** A new account that is a member of the project. */
export async function joinAs(
  service: Service,
  owner: Visitor,
  slug: string,
  email: string,
  role: Role,
): Promise<Visitor> {
  const secret = await invite(owner, slug, email, role);
  const member = await service.signUp(email, secret);
  await accept(member, secret);
  return member;
}

/** A token of an account, for a project or for all; it reads and deploys, unless `scopes` says otherwise. */
export async function makeToken(
  owner: Visitor,
  project?: string,
  scopes?: readonly Scope[],
): Promise<CreatedToken> {
  const body = { name: 'for a test', ...(project && { project }), ...(scopes && { scopes }) };
  return json(await owner.call('POST', '/api/account/tokens', body), 201);
}

/** The id of the signed-in user. */
export async function idOf(user: Visitor): Promise<string> {
  return (await json<{ id: string }>(await user.call('GET', '/api/session'))).id;
}

export async function setPlan(root: Visitor, slug: string, plan: string): Promise<void> {
  await json(await root.call('PUT', `/api/projects/${slug}/plan`, { plan }));
}

/** Uploads a document and waits for the end of its build. */
export async function deploy(
  author: Visitor,
  slug: string,
  document: string = documentTitled('Pets'),
  query = '',
): Promise<Deploy> {
  const path = `/api/projects/${slug}/deploys`;
  const queued = await json<Deploy>(await author.call('POST', path + query, document), 202);
  return finished(author, slug, queued.id);
}

/** The deploy once its build has ended. */
export async function finished(author: Visitor, slug: string, id: string): Promise<Deploy> {
  for (;;) {
    const found = await json<Deploy>(
      await author.call('GET', `/api/projects/${slug}/deploys/${id}`),
    );
    if (found.state === 'succeeded' || found.state === 'failed') return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
