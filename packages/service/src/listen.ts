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
export function explainListenError(
  error: NodeJS.ErrnoException,
  { host, port, hostVariable, portVariable }: ListenAddress,
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UserError(
        `Port ${port} on ${host} is in use, by another program or by another process of this one. Stop it, or set ${portVariable} to another port (0 picks a free one).`,
      );
    case 'EACCES':
      return new UserError(
        `This user may not listen on port ${port}. Set ${portVariable} to one above 1023.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(
        `${hostVariable} is ${JSON.stringify(host)}, which is neither an address nor a name that resolves to one. Set it to an address of this machine, such as 127.0.0.1.`,
      );
    case 'EADDRNOTAVAIL':
      return new UserError(
        `${host} is not an address of this machine. Set ${hostVariable} to one that is, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
      );
    default:
      return error;
  }
}

/** A host as a URL writes it. The wildcard addresses name no host: loopback stands for them. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
