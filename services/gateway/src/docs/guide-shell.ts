/** The commands that a reader must run before the commands of a guide. */
export const GUIDE_SHELL = `\`\`\`sh
BASE=https://record.example
TOKEN=\${TOKEN:-api_...}       # your token
PROJECT=\${PROJECT:-...}      # the id of a project
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
api "$BASE/api/projects/$PROJECT"
\`\`\`
`;
