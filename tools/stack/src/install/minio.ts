import type { InstallContext } from './context.ts';
import { ensureGoTool } from './go-tool.ts';

/** Returns the path of a MinIO server: MINIO_BIN, PATH, the cache, or a build of its Go module. */
export const ensureMinio = (context: InstallContext): Promise<string> =>
  ensureGoTool(
    {
      command: 'minio',
      module: 'github.com/minio/minio',
      version: 'v0.0.0-20260212201848-7aac2a2c5b7c',
      variable: 'MINIO_BIN',
      takes: 'two to five minutes',
    },
    context,
  );
