import { join } from 'node:path';
import { nginxArgs } from '@recording-request/stack/nginx';
import { type Peer, type PeerPlace, startPeer } from './peer.ts';

/** The port and certificate for TLS. */
export interface Tls {
  port: number;
  certFile: string;
  keyFile: string;
}

/**
 * Starts nginx before the object store. It sends the store's host name, so addresses signed for the store are valid here too. With
 * `tls` it sends the client's host name, for clients that sign for the address with TLS.
 */
export async function startNginx(program: string, place: PeerPlace, target: string, tls?: Tls): Promise<Peer> {
  const name = tls ? 'nginx-tls' : 'nginx';
  return startPeer(name, place, {
    command: program,
    args: port => nginxArgs(join(place.dir, name), http(port, new URL(target), tls)),
    ready: '/healthz',
  });
}

const listenTls = ({ port, certFile, keyFile }: Tls) => `
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};`;

/** The settings of an operator for large bodies: persistent connections, buffers for a fast client, no temporary files. */
const http = (port: number, target: URL, tls: Tls | undefined): string => `  access_log off;
  server_tokens off;
  sendfile on;
  tcp_nodelay on;
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
  }`;
