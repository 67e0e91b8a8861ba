import { subcommandOf } from '@petstore/service/commands.ts';

/** The command `petstore …words`. */
export const subcommand = subcommandOf('petstore');

export const JSON_OPTION = ['--json', 'print JSON, for scripts'] as const;
