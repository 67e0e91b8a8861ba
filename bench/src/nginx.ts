import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { HOST_SUFFIX } from './edge-data.ts';
import { BenchError } from './failure.ts';
import type { Command } from './processes.ts';

export interface Nginx {
  readonly program: string;
  /** Such as `nginx/1.22.1`. */
  readonly version: string;
}

/** Debian puts it where only the administrator's PATH leads. Throws BenchError where there is none. */
export function findNginx(): Nginx {
  for (const program of ['nginx', '/usr/sbin/nginx']) {
    const { error, stderr } = spawnSync(program, ['-v'], { encoding: 'utf8' });
    const version = /nginx\/\S+/.exec(stderr ?? '')?.[0];
    if (!error && version) return { program, version };
  }
  throw new BenchError(
    'nginx, which the edge is compared to, is not installed. On Debian and Ubuntu: apt-get install nginx.',
  );
}

/** What the server `localhost` proves itself with: files in PEM. */
export interface TlsFiles {
  readonly chain: string;
  readonly key: string;
}

/** Nothing resumes, as at the edge: each handshake is a whole one. */
function tlsLines({ chain, key }: TlsFiles): string {
  return `ssl_certificate ${chain};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_tickets off;
    ssl_session_cache off;`;
}

/**
 * nginx on the folders of the hosts, as one would set it up for speed: one worker for its one core,
 * sendfile, open files kept open, no log, connections for as long as the client likes.
 */
export function nginxCommand(
  { program }: Nginx,
  sites: string,
  own: string,
  tls?: TlsFiles,
): (port: number) => Command {
  return (port) => {
    const config = `${own}/nginx.conf`;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      config,
      `daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${own}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${own}/${name};`).join('\n  ')}
  types { text/html html; }
  charset utf-8;
  access_log off;
  server_tokens off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 65;
  keepalive_requests 1000000000;
  open_file_cache max=10000 inactive=60s;
  open_file_cache_valid 60s;
  gzip_static on;
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''};
    server_name ${tls ? 'localhost' : `*${HOST_SUFFIX}`};
    ${tls ? tlsLines(tls) : ''}
    root ${sites}/$host;
    location / { try_files $uri.html =404; }
  }
}
`,
    );
    return { program, args: ['-p', own, '-e', 'stderr', '-c', config], env: {} };
  };
}
