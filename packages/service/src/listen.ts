import { UserError } from './user-error.ts';

/** Where a server was to listen, and the environment variables that say so. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/**
 * Says why a server cannot listen, and which variable would help, as a UserError; what no variable
 * can help comes back as it is.
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
      return `Port ${port} on ${host} is taken: by another program, or by this one, running already. Stop that one, or set ${portVariable} to another port (0 picks a free one).`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${portVariable} to one above 1023.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostVariable} is ${JSON.stringify(host)}, which is no address and no name that resolves to one. Set it to an address of this machine, such as 127.0.0.1.`;
    case 'EADDRNOTAVAIL':
      return `${host} is no address of this machine. Set ${hostVariable} to one that is, such as 127.0.0.1, or to 0.0.0.0 for all of them.`;
    default:
      return undefined;
  }
}

/** A host as a URL writes it. The wildcard addresses name no host: loopback stands for them. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
