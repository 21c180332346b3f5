// A peer of the benchmark: @tus/server with @tus/s3-store before the store of S3_ENDPOINT, with their defaults.
//   PORT=… S3_ENDPOINT=… S3_ACCESS_KEY=… S3_SECRET_KEY=… S3_REGION=… S3_BUCKET=… node server.mjs
import { S3Store } from '@tus/s3-store';
import { Server } from '@tus/server';

const { PORT, S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, S3_BUCKET } = process.env;

const datastore = new S3Store({
  s3ClientConfig: {
    bucket: S3_BUCKET,
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY },
  },
});

new Server({ path: '/files', datastore }).listen({ host: '127.0.0.1', port: Number(PORT) });
process.on('SIGTERM', () => process.exit(0));
