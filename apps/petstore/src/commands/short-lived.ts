import type { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { openApiCommand } from './openapi.ts';
import { restoreCommand } from './restore.ts';
import { seedCommand } from './seed.ts';
import { verifyCommand } from './verify.ts';

/** All commands that end by themselves, in the order of the help. */
export function shortLivedCommands(): Command[] {
  return [
    keysCommand(),
    auditCommand(),
    openApiCommand(),
    seedCommand(),
    importCommand(),
    exportCommand(),
    backupCommand(),
    restoreCommand(),
    verifyCommand(),
  ];
}
