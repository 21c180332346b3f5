#!/bin/sh
# Allows each user at Kafka only what its workload needs. The users are named like the workloads. Run it before the migration, which creates the topics.
#   deploy/rights/kafka.sh kafka-acls.sh --bootstrap-server HOST:PORT --command-config admin.properties
# At Confluent Cloud, the users are service accounts. Export the id of each: PROJECTS, SUBMISSIONS, MEDIA, TRANSCRIPTION, WEBHOOKS, MIGRATE, BACKUP.
#   MEDIA=sa-… deploy/rights/kafka.sh confluent kafka acl create --cluster lkc-… --environment env-…
# KAFKA_TOPIC_PREFIX is the prefix of the settings, if they have one. KEDA=keda also allows KEDA's own user `keda` to read the lag; at Confluent Cloud, KEDA is the id of its account.
set -eu
prefix=${KAFKA_TOPIC_PREFIX:-}
topics='projects.events submissions.events media.work transcription.work webhooks.events owners.events media.events transcription.events parked'

# allow USER topic|group "NAMES" "OPERATIONS": the rest of the line is the command.
allow() {
  user=$1 kind=$2 names=$3 operations=$4
  shift 4
  for name in $names; do
    if [ "$1" = confluent ]; then
      eval "account=\${$(echo "$user" | tr a-z A-Z)}"
      [ "$kind" = topic ] || kind=consumer-group
      "$@" --allow --service-account "$account" --operations "$(echo "$operations" | tr 'A-Z ' 'a-z,' | sed s/describeconfigs/describe-configs/)" "--$kind" "$prefix$name"
    else
      # shellcheck disable=SC2046 # One option for each operation.
      "$@" --add --allow-principal "User:$user" $(printf -- '--operation %s ' $operations) "--$kind" "$prefix$name"
    fi
  done
}

# Each service describes all topics when it starts.
for user in projects submissions media transcription webhooks; do
  allow "$user" topic "$topics" 'Describe DescribeConfigs' "$@"
done
allow projects topic 'projects.events parked' Write "$@"
allow submissions topic "$topics" Write "$@"
allow submissions topic 'media.events transcription.events parked' Read "$@"
allow submissions group 'submissions submissions-transcripts submissions-dead-letters' 'Read Describe' "$@"
# submissions reports the lag of each group.
allow submissions group 'media transcription webhooks webhooks-events webhooks-projects webhooks-feed' Describe "$@"
allow media topic 'media.events parked' Write "$@"
allow media topic media.work Read "$@"
allow media group media 'Read Describe' "$@"
allow transcription topic 'transcription.events parked' Write "$@"
allow transcription topic transcription.work Read "$@"
allow transcription group transcription 'Read Describe' "$@"
allow webhooks topic 'owners.events parked' Write "$@"
allow webhooks topic 'submissions.events webhooks.events projects.events owners.events' Read "$@"
allow webhooks group 'webhooks webhooks-events webhooks-projects webhooks-feed' 'Read Describe' "$@"
allow migrate topic "$topics" 'Create Alter Describe DescribeConfigs' "$@"
allow backup topic "$topics" Describe "$@"
allow backup group 'submissions submissions-transcripts submissions-dead-letters media transcription webhooks webhooks-events webhooks-projects webhooks-feed' Describe "$@"
if [ -n "${KEDA:-}" ]; then
  allow keda topic 'media.work transcription.work submissions.events webhooks.events projects.events owners.events' Describe "$@"
  allow keda group 'media transcription webhooks webhooks-events webhooks-projects webhooks-feed' Describe "$@"
fi
