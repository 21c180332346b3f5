import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManifestTools } from '../install.ts';
import type { Manifest } from '../manifests.ts';
import { agreementFindings } from './agreement.ts';
import { authorityFindings } from './authorities.ts';
import { certificateFindings } from './certificates.ts';
import {
  configurationFindings,
  overriddenSettings,
  secretSettings,
  startsOf,
  unknownSettings,
} from './configuration.ts';
import { edgeFindings } from './edge.ts';
import { hasServices, programsIn } from './environment.ts';
import { fileFindings, filesRead, keysRead } from './files.ts';
import { type Finding, note } from './finding.ts';
import { loginFindings } from './logins.ts';
import { nameFindings } from './names.ts';
import { placeholderFindings } from './placeholders.ts';
import { placementFindings } from './placement.ts';
import { imagelessContainers, podFindings, withImages } from './pods.ts';
import { dnsFindings, policyFindings } from './policies.ts';
import { doubleScalers, replicaFaults, scalingFindings } from './scaling.ts';
import { objectFindings } from './schemas.ts';
import { secretFileFindings } from './secret-files.ts';
import { type IsNeeded, secretFindings } from './secrets.ts';
import { addressFindings, reachFindings } from './servers.ts';
import { openStandInFiles } from './stand-ins.ts';

const LONELY = note(
  'no service of the product is here: check this folder together with its overlay, to check its references too.',
);

/** Returns all faults and notes about rendered objects, each once. */
export async function checkObjects(tools: ManifestTools, rendered: Manifest[]): Promise<Finding[]> {
  const all = withImages(rendered);
  const ofObjects = await objectFindings(tools, all);
  const programs = programsIn(all);
  const dir = await mkdtemp(join(tmpdir(), 'stand-ins-'));
  try {
    const files = await filesRead(programs);
    const starts = await startsOf(programs, await openStandInFiles(dir));
    const isNeeded: IsNeeded = (by, key) =>
      by.kind === 'TriggerAuthentication'
        ? programs.some(({ values }) => values.KAFKA_CA_FILE)
        : starts.some(({ program, needed }) => program.object === by && needed.has(key));
    return unique([
      ...(hasServices(all) ? [] : [LONELY]),
      ...imagelessContainers(rendered),
      ...ofObjects,
      ...placeholderFindings(all),
      ...nameFindings(all),
      ...secretFindings(all, isNeeded, keysRead(files, all)),
      ...unknownSettings(all, programs),
      ...overriddenSettings(all, programs),
      ...secretSettings(all),
      ...secretFileFindings(programs, all),
      ...(await loginFindings(programs, all)),
      ...configurationFindings(starts),
      ...fileFindings(files, all),
      ...(await authorityFindings(programs, all)),
      ...certificateFindings(programs, all),
      ...(await reachFindings(programs, all)),
      ...addressFindings(programs, all),
      ...(await agreementFindings(programs)),
      ...edgeFindings(programs, all),
      ...scalingFindings(programs, all),
      ...replicaFaults(programs, all),
      ...doubleScalers(all),
      ...policyFindings(all),
      ...dnsFindings(programs, all),
      ...podFindings(programs, all),
      ...placementFindings(all),
    ]);
  } finally {
    await rm(dir, { recursive: true });
  }
}

const unique = (findings: Finding[]): Finding[] => [
  ...new Map(findings.map(finding => [finding.text, finding])).values(),
];
