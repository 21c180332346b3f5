import type { InstallContext } from './context.ts';
import { ensureGoTool } from './go-tool.ts';

/** Returns the path of a Versity S3 gateway, the second store of the tests: VERSITYGW_BIN, PATH, the cache, or a build of its Go module. */
export const ensureVersitygw = (context: InstallContext): Promise<string> =>
  ensureGoTool(
    {
      command: 'versitygw',
      module: 'github.com/versity/versitygw/cmd/versitygw',
      version: 'v1.8.0',
      variable: 'VERSITYGW_BIN',
      takes: 'one to three minutes',
    },
    context,
  );
