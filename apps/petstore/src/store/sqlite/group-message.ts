import type { Command } from './commands.ts';

// The form in which a group of commands is sent to the thread that writes. Messages are copied value by value, and an
// object also costs its members' names each time, so a group is one flat list.

/** In turn: the kind of a command, how many arguments it has, the arguments. */
export type GroupMessage = readonly unknown[];

export function encodeGroup(commands: Iterable<Command>): GroupMessage {
  const message: unknown[] = [];
  for (const { kind, args } of commands) message.push(kind, args.length, ...args);
  return message;
}

export function decodeGroup(message: GroupMessage): Command[] {
  const commands: Command[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at + 2;
    const end = start + Number(message[at + 1]);
    commands.push({ kind: message[at], args: message.slice(start, end) } as Command);
    at = end;
  }
  return commands;
}
