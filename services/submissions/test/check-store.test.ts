import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceKey } from '../src/domain/object-keys.ts';
import { openModels } from '../src/store/models.ts';
import { createStoredObjects } from '../src/store/stored-objects.ts';
import { landed, object } from './landed-submission.ts';
import { idAt, keyOf, OWNER, PROJECT, upload, useStores } from './stored-clips.ts';

const opened = useStores();

test('a clip that lands while a check reads the records is not reported as an orphan', async () => {
  const models = openModels(opened.connection);
  const id = idAt(1);
  const key = sourceKey(PROJECT, id);
  const finishing = upload(1, { state: 'finishing', submissionId: id });
  await opened.into('uploads', 1, () => finishing);
  let isLanded = false;
  const land = async () => {
    if (isLanded) return;
    isLanded = true;
    const clip = landed({ id, projectId: PROJECT, ownerId: OWNER, source: object(key) });
    assert.ok(await opened.stores.submissions.land(clip, []));
    await opened.stores.uploads.land(keyOf(finishing));
  };
  // The clip lands after the check has read the submissions and before the check reads the uploads.
  const find = (...query: Parameters<typeof models.submissions.find>) => ({
    async lean() {
      const rows = await models.submissions.find(...query).lean();
      await land();
      return rows;
    },
  });
  const storedObjects = createStoredObjects({ ...models, submissions: { find } } as never);
  const named = await storedObjects.named([{ key, owner: { kind: 'submission', id } }]);
  assert.deepEqual([...named], [key]);
  assert.ok(isLanded);
});
