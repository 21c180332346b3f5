import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateFindings } from './certificates.ts';
import { programsIn } from './environment.ts';
import { deployment, faultsIn, notesIn, object } from './example-objects.ts';

const CERT_MANAGER = 'cert-manager.io/v1';
const volumes = [{ name: 'tls', secret: { secretName: 'tls-media' } }];
const issuer = object('Issuer', 'internal', {}, CERT_MANAGER);

const found = (spec: object) => {
  const certificate = object(
    'Certificate',
    'media',
    {
      spec: {
        secretName: 'tls-media',
        uris: ['spiffe://recording-request/media'],
        issuerRef: { name: 'internal', kind: 'Issuer' },
        ...spec,
      },
    },
    CERT_MANAGER,
  );
  const all = [deployment('media', {}, volumes), issuer, certificate];
  return certificateFindings(programsIn(all), all);
};

test('accepts a certificate of the service, from an issuer here or of the cluster', () => {
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({ issuerRef: { name: 'internal' } }), []);
  assert.deepEqual(found({ issuerRef: { name: 'corp', kind: 'ClusterIssuer' } }), []);
  assert.deepEqual(found({ issuerRef: { name: 'corp', kind: 'AWSPCAIssuer', group: 'awspca.cert-manager.io' } }), []);
});

test('finds an unknown kind or name of an issuer', () => {
  assert.deepEqual(faultsIn(found({ issuerRef: { name: 'corp', kind: 'ClusterIsuer' } })), [
    'Certificate media: issuerRef.kind ClusterIsuer is neither Issuer nor ClusterIssuer: correct it, or set issuerRef.group.',
  ]);
  assert.deepEqual(faultsIn(found({ issuerRef: { name: 'intrnal' } })), [
    'Certificate media names the Issuer intrnal, which is not in the overlay; a similar one is internal.',
  ]);
  assert.deepEqual(faultsIn(found({ issuerRef: { name: 'corp' } })), [
    'Certificate media: issuerRef has no kind, so it means the Issuer corp, which is not in the overlay: set kind.',
  ]);
  assert.deepEqual(notesIn(found({ issuerRef: { name: 'corp', kind: 'Issuer' } })), [
    'create the Issuer corp for Certificate media yourself; without it, its pods wait.',
  ]);
});

test('finds a certificate with the name of another service', () => {
  assert.deepEqual(faultsIn(found({ uris: ['spiffe://recording-request/medai'] })), [
    'Certificate media: media needs the URI spiffe://recording-request/media, without which other services refuse it: add it to spec.uris.',
  ]);
});
