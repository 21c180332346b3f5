import { access, constants, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { print, progress, runCommand } from '@recording-request/harness/command';
import { HELP_FLAG, TEXT } from '@recording-request/harness/options';
import { parseCommandLine, UsageError } from '@recording-request/kit/command-line';
import { ensureHelm, ensureKustomize, ensureManifestTools } from '../install.ts';
import { checkObjects } from './check.ts';
import { withShippedBase } from './remote-base.ts';
import { renderFolders, renderValues } from './render.ts';

/** Set in the image of deploy/Dockerfile. This image has no network, no Git and no Java. */
const IMAGE = process.env.CHECK_IMAGE;
const COMMAND = IMAGE ? `docker run --rm --network none -v "$PWD:/work:ro" ${IMAGE}` : 'npm run check:overlay --';
const PLACES = IMAGE
  ? `Paths are relative to /work. The image has this version's manifests at /app/deploy/k8s and its chart. An overlay may refer
to a copy of the manifests, to their Git repository (it gets those of the image), or to ../../base; then mount the overlay beside
the others: -v "$PWD:/app/deploy/k8s/overlays/mine:ro" ${IMAGE} /app/deploy/k8s/overlays/mine.
It writes only to /tmp: with --read-only, add --tmpfs /tmp.`
  : 'DIR may be anywhere.';

const HELP = `${COMMAND} DIR…
${COMMAND} --values FILE… [--namespace NAME]

Checks an overlay of deploy/k8s, or values of the chart, without a cluster. For each fault, it prints one sentence with the
change to make; the last line has their number. Several folders, such as DIR and DIR/admin, are checked together.
${PLACES}

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
    await access(path, constants.R_OK).catch(error => {
      const isThere = error.code === 'EACCES';
      throw new UsageError(`${path} ${isThere ? `may not be read by user ${process.getuid?.()}` : 'does not exist'}.`);
    });
  const context = { env: process.env, log: progress, signal };
  const kustomize = await ensureKustomize(context);
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'overlay-'));
  const local = IMAGE ? await withShippedBase(folders, scratch.path) : { folders, notes: [] };
  const { objects, findings } =
    values.length > 0
      ? await renderValues({ kustomize, helm: await ensureHelm(context) }, values, namespace)
      : await renderFolders({ kustomize }, local.folders);
  const strimzi = !IMAGE && objects.some(({ apiVersion }) => apiVersion.startsWith('kafka.strimzi.io/'));
  const tools = await ensureManifestTools(context, { strimzi });
  const all = [...local.notes, ...findings, ...(objects.length > 0 ? await checkObjects(tools, objects) : [])];
  const faults = all.filter(({ isNote }) => !isNote);
  for (const { text } of all.filter(({ isNote }) => isNote)) print(`Note: ${text}`);
  for (const { text } of faults) print(text);
  if (faults.length > 0) print(faults.length === 1 ? '1 fault' : `${faults.length} faults`);
  else print(`${objects.length} objects without faults`);
  return faults.length > 0 ? 1 : 0;
}

await runCommand({ help: HELP, parse, run: main });
