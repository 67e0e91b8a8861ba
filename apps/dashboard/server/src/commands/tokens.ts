import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import {
  DEFAULT_SCOPES,
  OPERATOR_SCOPES,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
} from '../accounts/permissions.ts';
import { createToken, revokeToken } from '../accounts/tokens.ts';
import { OPERATOR } from '../audit/actor.ts';
import { findProject, type ProjectRow } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';
import { projectNotFound } from './plan.ts';
import { subcommand } from './subcommand.ts';
import { userByEmail } from './users/user-by-email.ts';
import { withDatabase } from './with-database.ts';

interface CreateOptions {
  readonly email: string;
  readonly name: string;
  readonly project?: string;
  readonly scope?: readonly Scope[];
  readonly expiresInDays?: number;
  readonly json?: boolean;
}

const SCOPE_LIST = SCOPE_NAMES.map((name) => `  ${name.padEnd(13)} ${SCOPES[name]}`).join('\n');

export function tokensCommand(): Command {
  return subcommand('tokens')
    .description('Create API tokens.')
    .addCommand(
      subcommand('tokens', 'create')
        .description("Create a token with an account's rights and show it, this once.")
        .requiredOption('--email <email>', 'the address of the account (required)')
        .requiredOption('--name <name>', 'what the token is for, for people to read (required)')
        .option('--project <slug>', 'good for this project alone')
        .option(
          '--scope <scopes>',
          `what it may do, separated by commas: ${SCOPE_NAMES.join(', ')} (default: ${OPERATOR_SCOPES.join(', ')}, and installation for its owner; with --project: ${DEFAULT_SCOPES.join(', ')})`,
          (text: string, before: Scope[] = []) => [...before, ...text.split(',').map(readScope)],
        )
        .option(
          '--expires-in-days <days>',
          'from 1 to 3650; without it the token does not expire',
          readDays,
        )
        .option('--json', 'print JSON, for scripts')
        .addHelpText('after', `\nScopes:\n${SCOPE_LIST}`)
        .action(create),
    );
}

async function create({
  email,
  name,
  project: slug,
  scope,
  expiresInDays,
  json,
}: CreateOptions): Promise<void> {
  await withDatabase({ mustExist: true }, async (db) => {
    const deps = { db, now: Date.now };
    const user = await userByEmail(db, email);
    const project = slug === undefined ? null : await projectOf(db, slug, user);
    const scopes = scope ?? (project ? DEFAULT_SCOPES : operatorScopes(user));
    const created = await createToken(
      deps,
      user,
      { name, project, scopes, expiresInDays },
      OPERATOR,
    );
    const text = json
      ? JSON.stringify(created)
      : `Created the token "${created.name}" (${created.id}) for ${user.email}, with the scopes ${created.scopes.join(', ')}.\nIt is shown this once:\n\n  ${created.token}\n`;
    try {
      await print(text);
    } catch (error) {
      await revokeToken(deps, created.id, { userId: user.id }, OPERATOR);
      throw new UserError('The token could not be shown, so it was revoked again.', {
        cause: error,
      });
    }
  });
}

/** The scopes of the operator's token where none are named: those that do not give other people access. */
function operatorScopes(user: UserRow): readonly Scope[] {
  return user.role === 'owner' ? [...OPERATOR_SCOPES, 'installation'] : OPERATOR_SCOPES;
}

function readScope(text: string): Scope {
  const scope = SCOPE_NAMES.find((known) => known === text.trim());
  if (scope) return scope;
  throw new UserError(
    `--scope must be one of ${SCOPE_NAMES.join(', ')}, or several separated by commas; got ${JSON.stringify(text)}.`,
  );
}

function readDays(text: string): number {
  const days = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 3_650) {
    throw new UserError(
      `--expires-in-days must be a number from 1 to 3650; got ${JSON.stringify(text)}.`,
    );
  }
  return days;
}

/** A project that the user has rights in. Throws UserError for any other. */
async function projectOf(db: Db, slug: string, user: UserRow): Promise<ProjectRow> {
  const found = await findProject(db, slug, user.id);
  if (!found) throw projectNotFound(slug);
  if (found.role === null && user.role !== 'owner') {
    throw new UserError(
      `${user.email} is not a member of ${slug}, so a token for it would have no rights. Invite them to the project first.`,
    );
  }
  return found.project;
}
