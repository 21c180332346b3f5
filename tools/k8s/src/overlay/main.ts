import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { print, progress, runCommand } from '@recording-request/harness/command';
import { HELP_FLAG, TEXT } from '@recording-request/harness/options';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { ensureHelm, ensureKustomize, ensureManifestTools } from '../install.ts';
import { checkObjects } from './check.ts';
import { renderFolders, renderValues } from './render.ts';

const HELP = `npm run check:overlay -- DIR…
npm run check:overlay -- --values FILE… [--namespace NAME]

Checks an overlay of deploy/k8s, or values of the chart, without a cluster. For each fault, it prints one sentence with the
change to make; the last line has their number. DIR may be anywhere. Several folders, such as DIR and DIR/admin, are checked
together.

It finds placeholders of the examples, values that a service would refuse, unknown settings, names and patches that match
nothing, servers that the network policies do not allow, a gateway that everybody may call, a host that differs from
PUBLIC_BASE_URL, settings that differ between services, KEDA triggers that differ from the settings, and objects that violate
the schemas of Kubernetes or the standard restricted. It uses stand-ins for Secrets that are not in the overlay. “Note:” marks
advice that is no fault. npm run admin -- doctor tries the real servers.

  --values FILE      checks the chart with these values; repeat it as for helm
  --namespace NAME   the namespace of the release (recording-request)
  --help             prints this text

Exit status: 0 without faults, 1 with faults, 2 for a wrong command line.
`;

function parse(args: string[]) {
  const { values, positionals } = parseCommandLine({
    args,
    allowPositionals: true,
    options: {
      values: { ...TEXT, multiple: true, default: [] as string[] },
      namespace: { ...TEXT, default: 'recording-request' },
      help: HELP_FLAG,
    },
  });
  // npm starts this command in the folder of the project.
  const paths = (list: string[]) => list.map(path => resolve(process.env.INIT_CWD ?? '.', path));
  const options = { ...values, values: paths(values.values), folders: paths(positionals) };
  if (!options.help && options.values.length > 0 === options.folders.length > 0)
    throw new UsageError('Name the folder of an overlay, or files of values with --values. See --help.');
  return options;
}

async function main({ values, folders, namespace }: ReturnType<typeof parse>, signal: AbortSignal): Promise<number> {
  for (const path of [...values, ...folders])
    await stat(path).catch(() => {
      throw new UsageError(`${path} does not exist.`);
    });
  const context = { env: process.env, log: progress, signal };
  const kustomize = await ensureKustomize(context);
  const { objects, findings } =
    values.length > 0
      ? await renderValues({ kustomize, helm: await ensureHelm(context) }, values, namespace)
      : await renderFolders({ kustomize }, folders);
  const strimzi = objects.some(({ apiVersion }) => apiVersion.startsWith('kafka.strimzi.io/'));
  const tools = await ensureManifestTools(context, { strimzi });
  const all = [...findings, ...(objects.length > 0 ? await checkObjects(tools, objects) : [])];
  const faults = all.filter(({ isNote }) => !isNote);
  for (const { text } of all.filter(({ isNote }) => isNote)) print(`Note: ${text}`);
  for (const { text } of faults) print(text);
  if (faults.length > 0) print(faults.length === 1 ? '1 fault' : `${faults.length} faults`);
  else print(`${objects.length} objects without faults`);
  return faults.length > 0 ? 1 : 0;
}

await runCommand({ help: HELP, parse, run: main });
