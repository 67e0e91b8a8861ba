import { print } from '@petstore/service/commands.ts';
import { Argument, type Command } from 'commander';
import { OPERATOR } from '../audit/actor.ts';
import { PLANS } from '../projects/plans.ts';
import { changePlan, projectBySlug } from '../projects/projects.ts';
import type { Plan } from '../store/schema.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

export function planCommand(): Command {
  return subcommand('plan')
    .description("Set a project's plan, from its next request on.")
    .argument('<slug>', 'the project')
    .addArgument(new Argument('<plan>', 'the plan').choices(Object.keys(PLANS)))
    .action(async (slug: string, plan: Plan) => {
      await withDatabase(async (db) => {
        const before = await projectBySlug(db, slug);
        await changePlan({ db, now: Date.now }, before, plan, OPERATOR);
        await print(
          before.plan === plan
            ? `${slug} is on ${plan} already.`
            : `${slug} is on ${plan} now (before: ${before.plan}).`,
        );
      });
    });
}
