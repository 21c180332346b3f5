#!/bin/sh
# Creates the database users in MongoDB Atlas, which has no createUser. They get the roles of mongodb.js. The passwords are in the variables that mongodb.js reads (PROJECTS_PASSWORD, …).
#   CLUSTER=clips ADDRESS=203.0.113.7 deploy/rights/atlas.sh --projectId ID
# ADDRESS is the public address from which the services connect, or a network: other clients cannot connect. With a private endpoint only, leave ADDRESS out.
set -eu
prefix=${MONGO_DATABASE_PREFIX:-}

# user NAME PASSWORD "ROLE@DATABASE …": the rest of the line are options of atlas.
user() {
  name=$1 password=$2 roles=
  for role in $3; do roles="$roles${roles:+,}${role%@*}@$prefix${role#*@}"; done
  shift 3
  atlas dbusers create --username "$name" --password "$password" --role "$roles" --scope "$CLUSTER" "$@"
}

[ -z "${ADDRESS:-}" ] ||
  atlas accessLists create "$ADDRESS" --type "$(case "$ADDRESS" in */*) echo cidrBlock ;; *) echo ipAddress ;; esac)" "$@"
for name in projects submissions webhooks; do
  eval "password=\${$(echo "$name" | tr a-z A-Z)_PASSWORD}"
  user "$name" "$password" "readWrite@$name" "$@"
done
user migrate "$MIGRATE_PASSWORD" 'readWrite@projects dbAdmin@projects readWrite@submissions dbAdmin@submissions readWrite@webhooks dbAdmin@webhooks' "$@"
user backup "$BACKUP_PASSWORD" 'readWrite@projects readWrite@submissions read@webhooks' "$@"
