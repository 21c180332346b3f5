import { join } from 'node:path';
import { nginxArgs } from '@recording-request/stack/nginx';
import { type Peer, type PeerPlace, startPeer } from './peer.ts';

/** Starts nginx in front of the object store. nginx sends the store's host name, so URLs signed for the store are valid here. */
export async function startNginx(program: string, place: PeerPlace, target: string): Promise<Peer> {
  return startPeer('nginx', place, {
    command: program,
    args: port => nginxArgs(join(place.dir, 'nginx'), http(port, new URL(target))),
    ready: '/healthz',
  });
}

/**
 * The settings that an operator would choose for large bodies: persistent connections, buffers for a fast client, no
 * temporary files.
 */
const http = (port: number, target: URL): string => `  access_log off;
  server_tokens off;
  sendfile on;
  tcp_nodelay on;
  upstream store { server ${target.host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location = /healthz { return 200 "ok\\n"; }
    location / {
      proxy_pass ${target.protocol}//store;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${target.host};
      proxy_buffer_size 64k;
      proxy_buffers 16 64k;
      proxy_busy_buffers_size 256k;
      proxy_max_temp_file_size 0;
      proxy_request_buffering off;
    }
  }`;
