import type { InstallContext } from './context.ts';
import { ensureGoTool } from './go-tool.ts';

/** Returns the path of MinIO's client, which makes and removes users: MC_BIN, the cache, or a build of its Go module. */
export const ensureMinioClient = (context: InstallContext): Promise<string> =>
  ensureGoTool(
    {
      command: 'mc',
      module: 'github.com/minio/mc',
      version: 'v0.0.0-20250313080218-cf909e1063a9',
      variable: 'MC_BIN',
      takes: 'two to five minutes',
      isAmbiguous: true,
    },
    context,
  );
