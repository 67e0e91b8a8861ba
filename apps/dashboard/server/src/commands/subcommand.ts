import { subcommandOf } from '@petstore/service/commands.ts';

/** The command `dashboard …words`. */
export const subcommand = subcommandOf('dashboard');
