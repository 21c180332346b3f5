import { cp, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheRoot, installOnce } from '@recording-request/stack/install/cache';
import type { InstallContext } from '@recording-request/stack/install/context';
import { onPath } from '@recording-request/stack/install/find';
import { fingerprintOf } from '@recording-request/stack/install/fingerprint';
import { run } from '@recording-request/stack/install/run';
import { type Peer, type PeerPlace, startPeer } from './peer.ts';
import { PEERS, ROOT } from './sources.ts';

const SOURCES = join(PEERS, 'go');
const PROTO = join(ROOT, 'proto');
const LIMIT_MS = 45 * 60_000;
const PLUGINS = [
  'google.golang.org/protobuf/cmd/protoc-gen-go',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc',
  'github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway',
];
/** The protocol folders of the services that the gateway calls. */
const PACKAGES = ['accounts', 'projects', 'submissions'];

/** Returns the program with the Go peers: from the cache, or built once for each version of the peers and of the protocol. */
export async function ensureGoPeers(context: InstallContext): Promise<string> {
  const { env, log, signal } = context;
  const version = await fingerprintOf([SOURCES, ...PACKAGES.map(name => join(PROTO, 'recording', name))]);
  const dir = await installOnce({
    root: cacheRoot(env),
    name: `bench-go-${version}`,
    log,
    signal,
    fill: async into => {
      if (!(await onPath('go', env)))
        throw new Error('The peers need Go, but there is no go on PATH: install Go 1.26 or newer.');
      log('building the peers in Go (a minute or two, once per machine) …');
      const [source, generators] = [join(into, 'src'), join(into, 'generators')];
      await cp(SOURCES, source, { recursive: true });
      await mkdir(generators);
      // -mod=readonly: Go refuses modules whose hash is not in go.sum.
      const flags = '-buildvcs=false -mod=readonly';
      const step = {
        log,
        signal,
        cwd: source,
        timeoutMs: LIMIT_MS,
        env: { ...env, GOFLAGS: flags, PATH: [generators, env.PATH].join(delimiter) },
      };
      await run('go', ['build', '-o', `${generators}/`, ...PLUGINS], { ...step, what: 'building the generators' });
      const paths = PACKAGES.flatMap(name => ['--path', join(PROTO, 'recording', name)]);
      const template = ['--template', join(source, 'buf.gen.yaml')];
      const buf = join(ROOT, 'node_modules/.bin/buf');
      await run(buf, ['generate', PROTO, ...template, ...paths], { ...step, what: 'generating the gateway' });
      await run('go', ['build', '-trimpath', '-o', join(into, 'peers'), '.'], { ...step, what: 'building the peers' });
      for (const made of [source, generators]) await rm(made, { recursive: true });
    },
  });
  return join(dir, 'peers');
}

/** Starts grpc-gateway in front of the product's services, with the certificate of the gateway. */
export const startGrpcGateway = (
  program: string,
  place: PeerPlace,
  services: { projects: string; submissions: string },
  { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE }: Record<string, string>,
): Promise<Peer> =>
  start(program, 'gateway', place, [
    ...['-projects', services.projects, '-submissions', services.submissions],
    ...['-cert', TLS_CERT_FILE!, '-key', TLS_KEY_FILE!, '-ca', TLS_CA_FILE!],
  ]);

/** Starts a Go reverse proxy in front of the object store. */
export const startGoProxy = (program: string, place: PeerPlace, target: string): Promise<Peer> =>
  start(program, 'proxy', place, ['-target', target]);

/**
 * Starts a server that answers any path with a ZIP archive. `list` is a file whose lines have a name, a tab and an
 * address.
 */
export const startGoZip = (program: string, place: PeerPlace, list: string): Promise<Peer> =>
  start(program, 'zip', place, ['-list', list]);

const start = (program: string, peer: string, place: PeerPlace, args: string[]) =>
  startPeer(`go-${peer}`, place, {
    command: program,
    args: port => [peer, '-listen', `127.0.0.1:${port}`, ...args],
    ready: '/healthz',
  });
