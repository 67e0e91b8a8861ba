import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Argument, type Command } from 'commander';
import { OPERATOR } from '../audit/actor.ts';
import { PLANS } from '../projects/project.ts';
import { changePlan } from '../projects/projects.ts';
import { findProject } from '../store/projects.ts';
import type { Plan } from '../store/schema/projects.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

export function planCommand(): Command {
  return subcommand('plan')
    .description("Set a project's plan, from its next request on.")
    .argument('<slug>', 'the project')
    .addArgument(new Argument('<plan>', 'the plan').choices(Object.keys(PLANS)))
    .action(async (slug: string, plan: Plan) => {
      await withDatabase({ mustExist: true }, async (db) => {
        const found = await findProject(db, slug, null);
        if (!found) throw projectNotFound(slug);
        const before = found.project;
        await changePlan({ db, now: Date.now }, before, plan, OPERATOR);
        await print(
          before.plan === plan
            ? `${slug} is on ${plan} already.`
            : `${slug} is on ${plan} now (before: ${before.plan}).`,
        );
      });
    });
}

export function projectNotFound(slug: string): UserError {
  return new UserError(`There is no project ${JSON.stringify(slug)}.`);
}
