import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFault, isPublicAddress } from './address.ts';

const STRICT = { allowHttp: false, allowPrivate: false };

test('public addresses are public', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::6810:84e5',
    '2a00:1450::1',
  ])
    assert.equal(isPublicAddress(address), true, address);
});

test('every range that is not public is refused', () => {
  const inner = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a9fe:a9fe',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2606:4700::5efe:7f00:1',
    '2606:4700::200:5efe:a00:1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ];
  for (const address of inner) assert.equal(isPublicAddress(address), false, address);
  assert.equal(isPublicAddress('example.com'), false);
});

test('a suspicious URL is refused by its text alone', () => {
  for (const url of ['', 'example.com', 'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'https://'])
    assert.notEqual(addressFault(url, STRICT), undefined, url);
  assert.match(addressFault('https://user@example.com/', STRICT)!, /user name/);
  assert.match(addressFault('https://:secret@example.com/', STRICT)!, /user name/);
  assert.match(addressFault('https://example.com:0/', STRICT)!, /port 0/);
  for (const url of ['https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/', 'https://[::ffff:7f00:1]/'])
    assert.match(addressFault(url, STRICT)!, /public/, url);
});

test('unusual ports, paths and names are accepted', () => {
  for (const url of [
    'https://example.com:8443/a?b=c',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:444/',
    'https://bücher.example/',
  ])
    assert.equal(addressFault(url, STRICT), undefined, url);
});

test('the local stack may use loopback and plain http', () => {
  assert.equal(addressFault('http://127.0.0.1:9/', { allowHttp: true, allowPrivate: true }), undefined);
  assert.match(addressFault('http://127.0.0.1:9/', { allowHttp: true, allowPrivate: false })!, /public/);
});
