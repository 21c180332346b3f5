import assert from 'node:assert/strict';
import { type Each, type } from './test-bucket.ts';

const ODD_KEYS = [
  'a b',
  'a&b=c?d#e',
  'its (fine), [really]; {yes}!',
  '<tag>&amp;',
  'back\\slash',
  'tilde~and$and@and:and*and|and^and`',
  'Grüße',
  'ñandú',
  '日本語.webm',
  '🎥-take',
  'عربي',
  'x'.repeat(255),
  '.hidden',
  '-dash',
];

export function manyKeys(each: Each): void {
  each('keys with unusual characters work like others', async ({ objects, read, keys }) => {
    const all = ODD_KEYS.map(key => `odd/${key}`);
    for (const key of all) await objects.put(key, Buffer.from(key), type);
    for (const key of all) {
      assert.equal((await read(key)).toString(), key);
      assert.equal((await objects.stat(key))?.size, Buffer.byteLength(key), key);
      const signed = await fetch(await objects.presignGet(key, 60));
      assert.equal(await signed.text(), key);
    }
    assert.deepEqual((await keys('odd/')).sort(), all.toSorted());
    await objects.remove(all);
    assert.deepEqual(await keys('odd/'), []);
    for (const key of ['', '/a', 'a/', 'a//b', '../a', 'a/./b', '100%', 'a+b', "it's", 'a\nb', 'x'.repeat(256)])
      await assert.rejects(objects.put(key, Buffer.from(key), type), RangeError, key);
  });

  each('more keys than one page are each listed once, by prefix, and removed', async ({ objects, keys }) => {
    const all = Array.from({ length: 1_100 }, (_, i) => `many/${i % 7}/${String(i).padStart(6, '0')}`);
    const one = Buffer.from('1');
    for (let at = 0; at < all.length; at += 100)
      await Promise.all(all.slice(at, at + 100).map(key => objects.put(key, one, type)));
    await objects.put('many-others/1', one, type);
    assert.deepEqual(await keys('many/'), all.toSorted());
    assert.deepEqual(await keys('many/3/'), all.filter(key => key.startsWith('many/3/')).toSorted());
    assert.equal((await keys('many')).length, all.length + 1, 'a prefix need not end at a slash');
    assert.deepEqual(await keys('nothing/'), []);
    await objects.remove([...all, 'many/nowhere']);
    assert.deepEqual(await keys('many'), ['many-others/1']);
  });
}
