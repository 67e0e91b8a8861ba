import { UserError } from './user-error.ts';

/** The first descriptor that systemd passes: sd_listen_fds(3), SD_LISTEN_FDS_START. */
const FIRST = 3;

/**
 * The listening sockets that systemd opened for this process (systemd.socket(5)), by the name that their unit gives
 * them, which is one of `names`. They stay open while the program is restarted: connections wait meanwhile and are not
 * refused. Empty where there are none. Removes the variables, so that programs which this one starts do not take the
 * sockets for theirs. Throws UserError for another name, or for two sockets of one.
 */
export function activatedSockets<Name extends string>(
  names: readonly Name[],
  env: NodeJS.ProcessEnv = process.env,
): ReadonlyMap<Name, number> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = env;
  const sockets = new Map<Name, number>();
  if (LISTEN_PID !== String(process.pid)) return sockets;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  const given = LISTEN_FDNAMES.split(':');
  for (let at = 0; at < Number(LISTEN_FDS); at++) {
    const name = names.find((known) => known === given[at]);
    if (name === undefined) {
      throw new UserError(
        `systemd passes a socket with the name ${JSON.stringify(given[at] ?? '')}. Its unit needs the line FileDescriptorName= with one of ${names.join(', ')}.`,
      );
    }
    if (sockets.has(name)) {
      throw new UserError(
        `systemd passes two sockets with the name ${name}. Leave one ListenStream= in their units; [::]:PORT with BindIPv6Only=both is for both families.`,
      );
    }
    sockets.set(name, FIRST + at);
  }
  return sockets;
}
