import { type Env, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';

/** Where the audit log is sent, entry by entry. */
export interface SyslogConfig {
  readonly transport: 'udp' | 'tcp' | 'tls';
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** A file in PEM with extra roots, for TLS. */
  readonly caFile: string | undefined;
}

/** RFC 5426, RFC 6587 and RFC 5425 have these ports. */
const PORTS = { udp: 514, tcp: 601, tls: 6514 } as const;

/** AUDIT_SYSLOG_URL and AUDIT_SYSLOG_CA_FILE; undefined: the log is sent nowhere. Throws UserError. */
export function readSyslogConfig(env: Env): SyslogConfig | undefined {
  const value = text(env, 'AUDIT_SYSLOG_URL');
  const caFile = text(env, 'AUDIT_SYSLOG_CA_FILE');
  if (value === undefined) {
    if (caFile === undefined) return undefined;
    throw new UserError('AUDIT_SYSLOG_CA_FILE needs AUDIT_SYSLOG_URL. Set it, or leave both out.');
  }
  const [, transport, host = '', port] =
    /^(udp|tcp|tls):\/\/(\[[0-9a-fA-F:.]+\]|[^\s/:@?#[\]]+)(?::(\d{1,5}))?\/?$/.exec(value) ?? [];
  const number = port === undefined ? undefined : Number(port);
  if (transport === undefined || (number !== undefined && (number < 1 || number > 65_535))) {
    throw new UserError(
      `AUDIT_SYSLOG_URL must be the address of a syslog receiver, such as tls://logs.example.com:6514, tcp://127.0.0.1:601 or udp://127.0.0.1:514; got ${value}.`,
    );
  }
  const kind = transport as SyslogConfig['transport'];
  if (caFile !== undefined && kind !== 'tls')
    throw new UserError('AUDIT_SYSLOG_CA_FILE is for tls:// alone. Leave it out.');
  return {
    transport: kind,
    host: host.replace(/^\[|\]$/g, ''),
    port: number ?? PORTS[kind],
    caFile,
  };
}
