import { LIMITS } from '@recording-request/contract/limits';
import { GUIDE_SHELL } from './guide-shell.ts';
import { INSTALL_CLIENTS, RUN_TYPESCRIPT } from './install-clients.ts';
import { sampleBlock } from './read-sample.ts';

const said = (limit: number) => limit.toLocaleString('en-US');

/** The guide about people on links. A test runs its commands unchanged. */
export const PEOPLE = `# People and reminders

${GUIDE_SHELL}
A single-recipient link can carry the person for whom it is meant, so that each clip says whose it is. All fields are optional:

| field | limits | meaning |
|---|---|---|
| name | ≤ ${LIMITS.recipientTextLength} | |
| reference | ≤ ${LIMITS.recipientTextLength} | your own key for the person; links and clips are found by it |
| email | ≤ ${LIMITS.emailLength} | data for your mail merge; the service sends no mail |
| locale | BCP 47, such as \`pt-BR\` | the language that the recorder shows first |
| metadata | ≤ ${LIMITS.metadataKeys} texts ≤ ${LIMITS.metadataValueLength}, names ≤ ${LIMITS.metadataKeyLength} | your own fields; they come back unchanged |
| dueAt | a time with its zone | a deadline: a later clip has \`late: true\`. It does not change when the link ends: see the deadline and the end, below. A time in the past is accepted: every clip is late, and no reminder comes before it |
| timeFactor | 1–${LIMITS.timeFactor} | the person may record so many times the longest duration; only API tokens see it |

Answers have name, reference, email and locale in \`recipient\` (null without a person; \`verified\` is true: you named the person), \`metadata\`
({} without any) and \`dueAt\`. White space around these texts is removed. At creation, send \`recipients: [{…}, …]\` for the first links of a
project; a body of \`POST /api/projects\` has at most 1 MiB, so add many people afterwards. \`count\` is at least 1: a project for a list of people begins with its first person
in \`recipients\`, otherwise its first link has no person.

**The deadline and the end.** A link ends at its \`expiresAt\`, also if its \`dueAt\` is later: after that it accepts no new response, and no reminder is sent. For a
later deadline, set \`neverExpire\`, \`expiresInDays\` or \`expiresInHours\` of the project; its links follow.

**CSV in.** The first line names the columns: name, reference, email, locale, dueAt, timeFactor, and \`meta.…\` for metadata. The separator may be a comma,
a semicolon or a tab (a line \`sep=;\` for Excel may come first), the encoding UTF-8 or UTF-16 (Excel: “CSV UTF-8” or “Unicode Text”). At most ${said(LIMITS.count)} rows and 8 MiB. With an API token (\`projects:write\`), the
tab People of the dashboard does the same: it shows the errors of a file before it adds anybody.

\`\`\`sh
cat > people.csv <<'CSV'
name,reference,email,locale,dueAt,meta.team
Ana Sousa,P-17,ana@example.org,pt-BR,2040-03-20T17:00:00Z,North
李雷,P-18,lei@example.org,zh-Hans,,South
CSV
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{"neverExpire": true}'   # the deadline above is far away
api -X POST "$BASE/api/projects/$PROJECT/links?dryRun=true" -H 'Content-Type: text/csv' --data-binary @people.csv
[ -s people.key ] || head -c 18 /dev/urandom | base64 > people.key   # one key per file; keep it for retries
api -X POST "$BASE/api/projects/$PROJECT/links" -H 'Content-Type: text/csv' -H "Idempotency-Key: $(cat people.key)" --data-binary @people.csv
\`\`\`

\`dryRun=true\` creates nothing and lists every fault (\`invalid\`: line, field, reason), every duplicate, and the allowance that would be left (\`allowanceAfter\`: negative if so many videos are missing). \`valid\` includes duplicates. It always answers with JSON.
A real run creates a link for every row, or nothing: a row that is not valid is 400, and the sentence names the first line. With
\`Accept: text/csv\` the file comes back with a column \`error\` for faults and duplicates; correct it and send it again, the column is ignored. A duplicate has the
\`reference\` of another link of the project or of an earlier row; a row without a reference is compared by its \`email\` (letter case does not
matter). Duplicates are 409 \`recipient_duplicate\`, or, with \`onDuplicate=skip\`, are left out and listed in \`skipped\`. Empty lines are
ignored. \`line\` counts the lines of the file, from 1; the header is one of them.

\`POST …/links\` also takes JSON: \`{"links": [{"name": …, "metadata": {…}}, …], "onDuplicate": "error"}\`. There, \`line\` is the
position in \`links\`, from 1. New links count against the allowance.

**Erased people.** Take erased people out of your table: the service no longer knows them, so that their rows are no duplicates, and the same table
invites them again, also with \`onDuplicate=skip\`. See Deletion in [the API in prose](/api/docs.md).

The same from a program, with the client or in plain Python. Both print the addresses to send:

${INSTALL_CLIENTS} ${RUN_TYPESCRIPT}

${sampleBlock('ts', 'invite.mts')}
${sampleBlock('python', 'invite.py')}
**Mail merge out.** \`links.csv\` has one row per link: name, reference, email, locale, recipientUrl, state, dueAt, tokenId, metadata as a JSON
object, remindersSent and remindersStopped (leave out rows with \`true\`). A cell that a spreadsheet would run as a formula begins with \`'\`. New columns are added at the end. Use \`?bom=1\` for Excel.

\`\`\`sh
save() { curl -sSf -H "Authorization: Bearer $TOKEN" -o "$@"; }   # save FILE ADDRESS: an error saves no file
save links.csv "$BASE/api/projects/$PROJECT/links.csv?bom=1"
\`\`\`

**Who is missing.** A link's \`state\` is what its person did: \`invited\` (nothing yet), \`opened\` (opened the page), \`recording\` (began, or has not
sent every answer of an interview: \`answersSent\` of \`questionCount\`), \`sent\`, or \`closed\` (sent nothing, and the link accepts nothing any more).
\`GET …/links\` without a parameter has all links. With \`state\`, \`reference\`, \`changedAfter\`, \`limit\` (≤ ${LIMITS.linkPageSize}, default 100) or \`cursor\`, it has a page
and \`pagination.nextCursor\`. A person is missing in three states, \`invited\`, \`opened\` and \`recording\`; \`state\` takes one value.
\`links.csv\` takes the same filters. To follow a project, ask for \`changedAfter\` with a few seconds of overlap.

\`\`\`sh
for STATE in invited opened recording; do
  api "$BASE/api/projects/$PROJECT/links?state=$STATE&limit=500"
  save "$STATE.csv" "$BASE/api/projects/$PROJECT/links.csv?state=$STATE"   # the same as a table
done
\`\`\`

**One person.** Find the link by its reference, and change the person, the metadata or the deadline. An omitted field stays unchanged;
\`recipient\` and \`metadata\` replace the whole value; \`null\` removes a recipient or a deadline. The clips of the link show the change at once.

\`\`\`sh
LINK=$(api "$BASE/api/projects/$PROJECT/links?reference=P-17" | grep -o '"tokenId":"[^"]*"' | tail -1 | cut -d'"' -f4)
api -X PATCH "$BASE/api/projects/$PROJECT/links/$LINK" -H 'Content-Type: application/json' -d '{"dueAt": "2040-04-01T17:00:00Z"}'
\`\`\`

## Reminders

The service sends no mail. It says when to send one: with \`remind\`, the project gets the event link.reminder_due for each link whose person has
sent nothing, \`afterDays\` after the link was made and \`beforeDueHours\` before its \`dueAt\`. \`PATCH\` replaces \`remind\`; \`{}\` ends it.
Your \`webhookUrl\` gets these events only if \`webhookEvents\` has link.reminder_due; without it, only the feed (\`GET /api/events\`) has them. \`PATCH\` replaces \`webhookEvents\` too: name
every event that you want.

\`\`\`sh
api -X PATCH "$BASE/api/projects/$PROJECT" -H 'Content-Type: application/json' -d '{
  "webhookEvents": ["submission.media.completed", "response.completed", "submission.erased", "link.reminder_due"],
  "remind": {"afterDays": [3, 7], "beforeDueHours": [24]}}'
api -X POST "$BASE/api/projects/$PROJECT/links/$LINK/remind"   # one person, now
\`\`\`

A link gets each time at most once, also if you remove a time and choose it again. It gets none after a clip has landed, after its person
stopped the reminders, and while you stopped them, the link is disabled, or the project is closed or has expired. A time that had passed when you chose it,
made the link or changed \`dueAt\` is left out. \`POST …/remind\` needs no \`remind\` of the project; nobody can be reminded who has sent,
whose reminders are stopped, or whose link accepts nothing: 422 \`not_remindable\`. Less than an hour after a reminder it is 429 \`reminded_recently\`. Links show
\`remindersSent\` and \`remindersStopped\`.

**Several people.** \`POST …/link-actions\` \`{"action": "remind", "tokenIds": […]}\` reminds the people of up to ${LIMITS.linkActions} links; \`disable\` and \`enable\` do the same as
\`disabled\` of \`PATCH\`. The answer has each link with \`done\`, and the \`code\` and \`error\` of a refusal, such as not_remindable. Send an \`Idempotency-Key\`: a repetition then reminds nobody twice.

\`\`\`sh
api -X POST "$BASE/api/projects/$PROJECT/link-actions" -H 'Content-Type: application/json' -d '{"action": "disable", "tokenIds": ["'"$LINK"'"]}'
api -X POST "$BASE/api/projects/$PROJECT/link-actions" -H 'Content-Type: application/json' -d '{"action": "enable", "tokenIds": ["'"$LINK"'"]}'
\`\`\`

To stop the reminders of one link, send \`PATCH …/links/<tokenId>\` \`{"remindersStopped": true}\`; \`false\` resumes them. The times that pass
meanwhile are left out. If the person stopped them, nobody can resume them: \`false\` is 400.

**Mail from the webhook.** [Verify the event](/api/docs/webhooks), then send your mail. The address in \`stopUrl\` is a page with one button; opening it stops
nothing, so that scanners of mail may open it. It also takes the one-click button of mail programs (RFC 8058):

${sampleBlock('ts', 'reminder-mail.mts')}`;
