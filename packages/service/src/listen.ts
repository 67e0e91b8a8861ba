import { UserError } from './user-error.ts';

/** Where a server should listen, and the environment variables for that. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/**
 * Explains why a server cannot listen, and which variable to change, as a UserError. Other errors come back as they
 * are.
 */
export function explainListenError(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  const sentence = sentenceOf(error.code, address);
  return sentence === undefined ? error : new UserError(sentence);
}

function sentenceOf(
  code: string | undefined,
  { host, port, hostVariable, portVariable }: ListenAddress,
): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use, by another program or by another process of this one. Stop it, or set ${portVariable} to another port (0 picks a free one).`;
    case 'EACCES':
      return `This user may not listen on port ${port}: ports below 1024 need the capability CAP_NET_BIND_SERVICE. Give it to the service (AmbientCapabilities=CAP_NET_BIND_SERVICE under systemd), or set ${portVariable} to a port above 1023 and forward ${port} to that.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostVariable} is ${JSON.stringify(host)}, which is neither an address nor a name that resolves to one. Set it to an address of this machine, such as 127.0.0.1.`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Set ${hostVariable} to one that is, such as 127.0.0.1, or to 0.0.0.0 for all of them.`;
    default:
      return undefined;
  }
}

/** A host as a URL writes it. The wildcard addresses name no host: loopback stands for them. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
