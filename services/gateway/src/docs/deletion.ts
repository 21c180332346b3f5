/** The chapter of docs.md about erasures. */
export const DELETION = `## Deletion

\`POST /api/projects/<projectId>/erase\`, \`POST /api/projects/<projectId>/links/<tokenId>/erase\` and
\`POST /api/projects/<projectId>/submissions/<submissionId>/erase\` erase data for good, with the scope \`projects:erase\`. Without a body they erase nothing: the answer counts what would go, and has \`confirm\`. Send
\`{"confirm": "<this value>"}\` within ten minutes. The answer has \`state\`: \`erased\`, or \`erasing\` (202) if a project or a link takes longer; then poll \`GET /api/projects/<projectId>/erasure\`, or repeat the request for the link.
The erasure of a link removes its person, deadline, state, clips and uploads; the link stays listed with the \`state\` \`closed\`, for good. The shared link is 422.
\`left\` is the proof: a new count of all stores. Kafka deletes its records by \`recordsEndAt\`. The last submission of a response takes
its person along: the \`recipient\` and \`metadata\` of its link, also in past events. An erasure also removes what arrives after the first request.
A stored answer to an \`Idempotency-Key\` keeps the people of a creation or an import for up to a day, encrypted; \`left\` does not count it. \`PATCH …/links/<tokenId>\` with \`{"recipient": null, "metadata": {}}\` only
removes the person from the link; past events of the link keep what they said until the link or the project is erased.

For an erased submission, \`webhook-deliveries\` still lists ids, types, times and outcomes, but never the sent bodies. Sending such an event
again is 410; an event that was not delivered becomes \`erased\`. An erased project is 404. Your endpoint gets submission.erased for an
erased submission if the project requests that event, but not for an erased project. Delete the copies at your endpoint yourself.

Also delete an erased person from the tables that you import: the service does not know the person any more, so that the same table invites
the person again, also with \`onDuplicate=skip\`.
`;
