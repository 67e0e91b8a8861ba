import { print } from '@petstore/service/commands.ts';
import { count, formatBytes } from '@petstore/service/text.ts';
import type { Command } from 'commander';
import { recountContents } from '../../store/project-contents.ts';
import { listProjectIds, lockProject } from '../../store/projects.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';

export function recountCommand(): Command {
  return subcommand('quotas', 'recount')
    .description('Count anew what each project holds, and correct it. It may run at any time.')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ json }: { json?: boolean }) => {
      const corrected = await withDatabase({ mustExist: true }, async (db) => {
        const changes: { slug: string; from: number; to: number }[] = [];
        for (const id of await listProjectIds(db)) {
          const change = await db.transaction().execute(async (trx) => {
            const project = await lockProject(trx, id);
            if (!project) return undefined;
            const from = project.stored_bytes;
            return { slug: project.slug, from, to: await recountContents(trx, id) };
          });
          if (change && change.from !== change.to) changes.push(change);
        }
        return changes;
      });
      if (json) return print(JSON.stringify(corrected));
      const lines = corrected.map(
        ({ slug, from, to }) => `${slug}\t${formatBytes(from)}\t${formatBytes(to)}`,
      );
      const end =
        corrected.length === 0
          ? 'Every project was counted right.'
          : `${count(corrected.length, 'project')} had to be corrected.`;
      await print([...lines, end].join('\n'));
    });
}
