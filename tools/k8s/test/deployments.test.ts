import assert from 'node:assert/strict';
import { access, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { jobGraceMs } from '@recording-request/kit/lifecycle';
import { uriOf } from '@recording-request/kit-rpc/internal/names';
import { CHECKS as TELEMETRY } from '@recording-request/kit-telemetry/checks';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { renderOverlay } from '../src/chart.ts';
import { readCompose } from '../src/compose.ts';
import { environmentOf } from '../src/environment.ts';
import { ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse, render } from '../src/manifests.ts';
import { BASE, LOCAL, ROOT, readConfigOf, readEnvFile, serviceNames } from '../src/repository.ts';

const tools = await ensureManifestTools({ env: process.env, log: line => console.error(line) });
const all = parse(await render(tools, LOCAL));
const deployments = all.filter(({ kind }) => kind === 'Deployment');
const podOf = (deployment: Manifest) => deployment.spec.template.spec;
const containerOf = (deployment: Manifest) => podOf(deployment).containers[0];

/** Returns a proxy of `env` that records in `read` the name of each variable that a caller reads. */
const watched = (env: Record<string, string>, read: Set<string>) =>
  new Proxy(env, {
    get(target, name) {
      read.add(String(name));
      return target[String(name)];
    },
  });

/** Asserts that a service's stop takes less than `seconds`, and leaves enough time for its longest job. */
function assertStops(name: string, config: Record<string, unknown>, seconds: number): void {
  const stopSeconds = Number(config.stopGraceSeconds);
  assert.ok(stopSeconds < seconds, `${name} may stop for ${stopSeconds} s, but Kubernetes kills it after ${seconds} s`);
  const jobMs = Number(config.jobSeconds ?? 0) * 1_000;
  assert.ok(
    jobGraceMs(stopSeconds) >= jobMs,
    `${name} ends jobs of ${jobMs} ms ${jobGraceMs(stopSeconds)} ms after SIGTERM`,
  );
}

/** Returns the variables that a service's configuration requires. */
async function requiredBy(service: string): Promise<string[]> {
  const error = await readConfigOf(service, {}).then(
    () => undefined,
    (reason: { faults?: string[] }) => reason,
  );
  return (error?.faults ?? []).map(fault => fault.split(' ')[0]!);
}

test('each service has one Deployment, which starts its main.ts', async () => {
  assert.deepEqual(deployments.map(({ metadata }) => metadata.name).sort(), (await serviceNames()).sort());
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    assert.deepEqual(containerOf(deployment).args, [`services/${name}/src/main.ts`]);
    await access(join(ROOT, containerOf(deployment).args[0]));
    assert.equal(podOf(deployment).serviceAccountName, name);
  }
});

for (const deployment of deployments) {
  const { name } = deployment.metadata;
  describe(name, () => {
    test('its environment is a valid configuration without a secret that it does not read', async () => {
      const read = new Set<string>();
      await readConfigOf(name, watched(environmentOf(deployment, all), read));
      const given = (containerOf(deployment).env as { name: string; valueFrom?: { secretKeyRef?: unknown } }[]).filter(
        one => one.valueFrom?.secretKeyRef,
      );
      for (const secret of given)
        assert.ok(read.has(secret.name) || secret.name in TELEMETRY, `${name} has ${secret.name} but never reads it`);
    });

    test('it fails to start when one required variable is missing', async () => {
      const env: Record<string, string> = { ...environmentOf(deployment, all), INTERNAL_PLAINTEXT: 'false' };
      const required = await requiredBy(name);
      assert.ok(required.length > 0);
      for (const variable of required) {
        assert.ok(env[variable], `${variable} is not provided`);
        const { [variable]: _, ...rest } = env;
        await assert.rejects(readConfigOf(name, rest), { name: 'ConfigError', faults: [`${variable} is not set`] });
      }
    });

    test('it runs as an unprivileged user with a read-only root', () => {
      const pod = podOf(deployment);
      const container = containerOf(deployment);
      assert.equal(pod.containers.length, 1);
      assert.equal(pod.automountServiceAccountToken, false);
      assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 1000]);
      assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
      });
      assert.ok(
        pod.volumes.some((volume: { name: string; emptyDir?: object }) => volume.name === 'tmp' && volume.emptyDir),
      );
      assert.deepEqual(container.volumeMounts, [
        { name: 'tmp', mountPath: '/tmp' },
        { name: 'tls', mountPath: '/tls', readOnly: true },
        { name: 'servers-ca', mountPath: '/servers-ca', readOnly: true },
      ]);
      const tls = pod.volumes.find((volume: { name: string }) => volume.name === 'tls');
      assert.deepEqual(
        [tls.secret.secretName, tls.secret.defaultMode],
        [`tls-${name}`, 0o440],
        'only its own certificate',
      );
      assert.ok(container.resources.requests.cpu && container.resources.limits.memory);
    });

    test('it has probes and the time to stop', async () => {
      const { startupProbe, readinessProbe, livenessProbe, lifecycle } = containerOf(deployment);
      const probes = [startupProbe, livenessProbe, readinessProbe];
      const [alive, ready] = [{ grpc: { port: 50053, service: 'liveness' } }, { grpc: { port: 50053 } }];
      const http = (path: string) => ({ httpGet: { path, port: 'http' } });
      const asked = name === 'gateway' ? [http('/healthz/started'), http('/healthz'), http('/healthz')] : undefined;
      assert.partialDeepStrictEqual(probes, asked ?? [alive, alive, ready]);
      const config = await readConfigOf(name, environmentOf(deployment, all));
      assert.equal(lifecycle.preStop.sleep.seconds, 5);
      const given = podOf(deployment).terminationGracePeriodSeconds - lifecycle.preStop.sleep.seconds;
      assertStops(name, config, given);
      // A long grace period, because uploads and downloads take minutes.
      if (['gateway', 'submissions'].includes(name)) assert.ok(Number(config.stopGraceSeconds) >= 280);
      // By default, Kubernetes reports a failed rollout after 600 s. A new pod may have to wait until an old one frees its
      // resources.
      const { progressDeadlineSeconds = 600 } = deployment.spec;
      assert.ok(progressDeadlineSeconds > podOf(deployment).terminationGracePeriodSeconds);
    });
  });
}

const job = all.find(({ kind }) => kind === 'Job');

test('a Job migrates databases, topics and the bucket, with the services’ settings and no other secret', async () => {
  assert.ok(job);
  const container = containerOf(job);
  assert.deepEqual(container.args, ['tools/admin/src/main.ts', 'migrate']);
  await access(join(ROOT, container.args[0]));
  const [settings, named, ...others] = container.envFrom;
  assert.deepEqual([named, others], [{ prefix: 'SETTING_', ...settings }, []], 'needed to refuse an unknown name');
  const env = environmentOf(job, all);
  const variables = /^(MONGO_|KAFKA_|S3_|WEBHOOK_TOMBSTONE_)/;
  const secrets = new Set<string>();
  for (const deployment of deployments)
    for (const [variable, value] of Object.entries(environmentOf(deployment, all)))
      if (variables.test(variable)) {
        assert.equal(env[variable], value, `${variable} of ${deployment.metadata.name}`);
        const { env: own } = containerOf(deployment) as { env: { name: string }[] };
        if (own.some(({ name }) => name === variable)) secrets.add(variable);
      }
  const plain = { name: 'OTEL_SDK_DISABLED', value: 'true' };
  assert.deepEqual(container.env.map(({ name }: { name: string }) => name).sort(), [...secrets, plain.name].sort());
  assert.deepEqual(
    container.env.find(({ name }: { name: string }) => name === plain.name),
    plain,
  );
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
  });
});

test('a Job fails at once when the operator must act, and keeps its pod for its log', async () => {
  const parts = parse(await renderOverlay(tools, { resources: [BASE], components: [join(BASE, '../backup')] }));
  const nightly = parts.find(({ kind }) => kind === 'CronJob')!.spec.jobTemplate;
  for (const { spec } of [parts.find(({ kind }) => kind === 'Job')!, nightly]) {
    const { restartPolicy, containers } = spec.template.spec;
    assert.equal(restartPolicy, 'Never');
    const onExitCodes = { containerName: containers[0].name, operator: 'In', values: [78] };
    assert.deepEqual(spec.podFailurePolicy, { rules: [{ action: 'FailJob', onExitCodes }] });
  }
});

test('one backup runs at a time for as long as it needs, and a starting one reads no earlier file', async () => {
  const parts = parse(await renderOverlay(tools, { resources: [BASE], components: [join(BASE, '../backup')] }));
  const { schedule, concurrencyPolicy, jobTemplate } = parts.find(({ kind }) => kind === 'CronJob')!.spec;
  assert.match(schedule, /^\d+ \d+ \* \* \*$/, 'once a day');
  assert.equal(concurrencyPolicy, 'Forbid');
  assert.equal(jobTemplate.spec.activeDeadlineSeconds, 7 * 86_400);
  assert.equal(jobTemplate.spec.template.spec.securityContext.fsGroupChangePolicy, 'OnRootMismatch');
});

test('a backup to a bucket needs no volume', async () => {
  const parts = parse(await renderOverlay(tools, { resources: [BASE], components: [join(BASE, '../backup-bucket')] }));
  const { containers, volumes } = parts.find(({ kind }) => kind === 'CronJob')!.spec.jobTemplate.spec.template.spec;
  assert.deepEqual(containers[0].args.slice(1), ['backup', '--to', 's3://recording-request-backup']);
  const names = (each: { name: string }[]) => each.map(({ name }) => name).toSorted();
  assert.deepEqual(
    [names(volumes), names(containers[0].volumeMounts)],
    [
      ['servers-ca', 'tmp'],
      ['servers-ca', 'tmp'],
    ],
  );
});

test('every gRPC target is the DNS name of a headless Service with that port', () => {
  const env = Object.assign({}, ...deployments.map(deployment => environmentOf(deployment, all)));
  const targets = Object.entries<string>(env).filter(([name]) => /^[A-Z]+_GRPC$/.test(name));
  assert.equal(targets.length, 4);
  for (const [name, target] of targets) {
    const [, host, port] = /^dns:\/\/\/([a-z]+):(\d+)$/.exec(target) ?? assert.fail(`${name}: ${target}`);
    const service = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === host);
    assert.ok(service, `${name}: no Service ${host}`);
    assert.equal(service.spec.clusterIP, 'None');
    assert.equal(service.spec.ports[0].port, Number(port));
  }
});

test('the certificates component issues each workload its own name, in a Secret that only it mounts', async () => {
  await using dir = await tempDir();
  await cp(join(ROOT, 'deploy/k8s'), dir.path, { recursive: true });
  const overlay = join(dir.path, 'overlays/certified');
  await mkdir(overlay);
  const text = 'resources: [../../base, ../../admin]\ncomponents: [../../certificates]\nnamespace: recording-request\n';
  await writeFile(join(overlay, 'kustomization.yaml'), text);
  const objects = parse(await render(tools, overlay));
  const issued = objects.filter(({ kind, spec }) => kind === 'Certificate' && !spec.isCA);
  const names = [...(await serviceNames()), 'operator'];
  const given = issued.map(({ spec }) => [spec.secretName, spec.uris, spec.usages]);
  const usages = ['digital signature', 'server auth', 'client auth'];
  assert.deepEqual(given.sort(), names.map(name => [`tls-${name}`, [uriOf(name)], usages]).sort());
  const admin = objects.find(({ kind }) => kind === 'Pod')!;
  for (const [secret, pod] of [
    ['tls-operator', admin.spec] as const,
    ...deployments.map(each => [`tls-${each.metadata.name}`, podOf(each)] as const),
  ]) {
    const mounted = pod.volumes.flatMap(
      (volume: { secret?: { secretName: string } }) => volume.secret?.secretName ?? [],
    );
    assert.deepEqual(
      mounted.filter((name: string) => name !== 'servers-ca'),
      [secret],
    );
  }
});

test('the operator calls separate ports, which only the policies of its pod open', () => {
  const admin = all.find(({ kind }) => kind === 'Pod')!;
  const env = admin.spec.containers[0].env as { name: string; value: string }[];
  const targets = env.filter(({ name }) => name.endsWith('_OPERATOR'));
  assert.equal(targets.length, 3);
  for (const { value } of targets) {
    const [, host, port] = /^dns:\/\/\/([a-z]+):(\d+)$/.exec(value) ?? assert.fail(value);
    const service = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === host)!;
    assert.ok(
      service.spec.ports.some((one: { port: number }) => one.port === Number(port)),
      value,
    );
  }
  const open = all.filter(({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec).includes('50052'));
  assert.deepEqual(open.map(({ metadata }) => metadata.name).sort(), ['admin-calls-in', 'admin-calls-out']);
});

test('the base requires one Secret, whose keys the example lists, and contains none', async () => {
  const base = parse(await render(tools, BASE));
  assert.deepEqual(
    base.filter(({ kind }) => kind === 'Secret'),
    [],
  );
  const component = { resources: [BASE], components: [join(BASE, '../backup-bucket')] };
  const nightly = parse(await renderOverlay(tools, component)).find(({ kind }) => kind === 'CronJob')!;
  const referencesOf = ({ env }: Manifest['spec']): { name: string; key: string }[] =>
    env.flatMap((one: Manifest['spec']) => one.valueFrom?.secretKeyRef ?? []);
  const ofServices = base.filter(({ kind }) => kind === 'Deployment').flatMap(each => referencesOf(containerOf(each)));
  const all = [...ofServices, ...referencesOf(nightly.spec.jobTemplate.spec.template.spec.containers[0])];
  assert.deepEqual([...new Set(all.map(({ name }) => name))], ['recording-request']);
  const keysOf = (references: typeof all) => [...new Set(references.map(({ key }) => key))].sort();
  assert.deepEqual(Object.keys(await readEnvFile(join(BASE, 'secret.example.env'))).sort(), keysOf(all));
  assert.deepEqual(Object.keys(await readEnvFile(join(LOCAL, 'secrets.env'))).sort(), keysOf(ofServices));
});

test('with a completed example, compose.yaml runs every service with a valid configuration', async () => {
  const example = await readEnvFile(join(ROOT, 'deploy/compose.example.env'));
  const secrets = await readEnvFile(join(LOCAL, 'secrets.env'));
  const filledIn = { ...example, ...secrets, SPEECH_BASE_URL: 'http://speech:8000/v1' };
  const file = join(ROOT, 'deploy/compose.yaml');
  const { migrate, ...services } = await readCompose(file, filledIn);
  assert.deepEqual(migrate?.command, ['tools/admin/src/main.ts', 'migrate']);
  const { environment } = services.submissions!;
  const ofStores = Object.entries(environment).filter(([name]) => /^(MONGO_|KAFKA_|S3_)/.test(name));
  assert.deepEqual(migrate.environment, Object.fromEntries(ofStores));
  assert.deepEqual(Object.keys(services).sort(), (await serviceNames()).sort());
  for (const [name, service] of Object.entries(services)) {
    const config = await readConfigOf(name, service.environment);
    assertStops(name, config, Number.parseInt(service.stop_grace_period, 10));
    assert.deepEqual(service.command, [`services/${name}/src/main.ts`]);
  }
  await assert.rejects(readCompose(file, example), /is not set: see compose\.example\.env/);
});

test('Compose passes exactly the example’s variables; the services that delete data get the retention', async () => {
  const file = join(ROOT, 'deploy/compose.yaml');
  const text = await readFile(join(ROOT, 'deploy/compose.example.env'), 'utf8');
  const named = [...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!);
  const passed = [...(await readFile(file, 'utf8')).matchAll(/\$\{([A-Z0-9_]+):/g)].map(([, name]) => name!);
  // docs/telemetry.md lists the telemetry variables. The example has only some of them.
  const others = (names: string[]) => [...new Set(names)].filter(name => !(name in TELEMETRY)).sort();
  assert.deepEqual(others(named), others(passed));
  assert.deepEqual(
    named.filter(name => !passed.includes(name)),
    [],
  );
  const env = Object.fromEntries(named.map(name => [name, 'x']));
  const services = await readCompose(file, { ...env, RETENTION_DAYS: '30', WEBHOOK_LEDGER_DAYS: '7' });
  for (const name of ['projects', 'submissions']) assert.equal(services[name]?.environment.RETENTION_DAYS, '30');
  assert.equal(services.webhooks?.environment.WEBHOOK_LEDGER_DAYS, '7');
});
