import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureGoTool } from '@recording-request/stack/install/go-tool';

/**
 * Returns the path of an Alertmanager: ALERTMANAGER_BIN, PATH, the cache, or a build of its Go module. The build has
 * the API, but no pages. (The program in Debian's package works only if the package is installed.)
 */
export const ensureAlertmanager = (context: InstallContext): Promise<string> =>
  ensureGoTool(
    {
      command: 'alertmanager',
      module: 'github.com/prometheus/alertmanager/cmd/alertmanager',
      version: 'v0.28.0',
      variable: 'ALERTMANAGER_BIN',
      takes: 'one to three minutes',
    },
    context,
  );
