import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Peer, type PeerPlace, startPeer } from './peer.ts';

/** Where nginx takes TLS as well. */
export interface Tls {
  port: number;
  certFile: string;
  keyFile: string;
}

/**
 * nginx before the object store, under the store's host name: addresses signed for it are valid here too. With `tls` it keeps the
 * name under which it is asked, for clients that sign for the address with TLS.
 */
export async function startNginx(program: string, place: PeerPlace, target: string, tls?: Tls): Promise<Peer> {
  const name = tls ? 'nginx-tls' : 'nginx';
  const prefix = join(place.dir, name);
  await mkdir(prefix, { recursive: true });
  return startPeer(name, place, {
    command: program,
    async args(port) {
      const file = join(prefix, 'nginx.conf');
      await writeFile(file, configuration(prefix, port, new URL(target), tls));
      return ['-p', prefix, '-c', file, '-e', 'stderr'];
    },
    ready: '/healthz',
  });
}

const listenTls = ({ port, certFile, keyFile }: Tls) => `
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};`;

/** Kept connections, buffers for a fast client, and no temporary files: what an operator would set for large bodies. */
function configuration(prefix: string, port: number, target: URL, tls: Tls | undefined): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
worker_processes auto;
pid ${prefix}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  sendfile on;
  tcp_nodelay on;
${temporary.map(name => `  ${name}_temp_path ${prefix}/${name};`).join('\n')}
  upstream store { server ${target.host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};${tls ? listenTls(tls) : ''}
    client_max_body_size 0;
    location = /healthz { return 200 "ok\\n"; }
    location / {
      proxy_pass ${target.protocol}//store;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${tls ? '$http_host' : target.host};
      proxy_buffer_size 64k;
      proxy_buffers 16 64k;
      proxy_busy_buffers_size 256k;
      proxy_max_temp_file_size 0;
      proxy_request_buffering off;
    }
  }
}
`;
}
