import type { Child } from '@recording-request/stack/child-process';
import { freePort } from '@recording-request/stack/ports';
import type { ZipkinInstall } from '../install/zipkin.ts';
import { answers, type ServerContext, startServer } from './server.ts';

// A clip has about 200 spans, and a span about 2 KB.
const MAX_SPANS = 60_000;
const HEAP = '-Xmx384m';

/** Starts Zipkin on a free port of 127.0.0.1. It keeps the newest spans in memory, and nothing on disk. */
export async function startZipkin(
  { java, jar }: ZipkinInstall,
  context: ServerContext,
): Promise<{ child: Child; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const listen = { ip: '127.0.0.1', port, 'protocols[0]': 'http' };
  const child = await startServer(
    {
      name: 'zipkin',
      command: java,
      args: [
        // These options give the fastest start on a busy machine.
        ...[HEAP, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-jar', jar],
        ...Object.entries(listen).map(([key, value]) => `--armeria.ports[0].${key}=${value}`),
      ],
      env: { MEM_MAX_SPANS: String(MAX_SPANS), STORAGE_TYPE: 'mem', JAVA_OPTS: '' },
      isReady: limit => answers(`${url}/health`, limit),
    },
    context,
  );
  return { child, url };
}
