#!/bin/sh
# Creates an IAM role for each workload that uses the bucket, with the rights in s3/. Only the workload's service account in the EKS cluster may assume it.
#   CLUSTER=clips BUCKET=clips-example-com BACKUP_BUCKET=clips-example-com-backup NS=recording-request deploy/rights/aws.sh
# The cluster needs its OIDC provider in IAM: eksctl utils associate-iam-oidc-provider --cluster NAME --approve
set -eu
rights=$(dirname "$0")/s3
account=$(aws sts get-caller-identity --query Account --output text)
issuer=$(aws eks describe-cluster --name "$CLUSTER" --query cluster.identity.oidc.issuer --output text | sed 's|^https://||')
# The Job `doctor` tries the store for all workloads from one pod, so its role has the rights of submissions.
for name in submissions media transcription migrate backup doctor; do
  role=recording-request-$name
  aws iam create-role --role-name "$role" --assume-role-policy-document '{
    "Version": "2012-10-17",
    "Statement": [{
      "Effect": "Allow",
      "Principal": { "Federated": "arn:aws:iam::'"$account"':oidc-provider/'"$issuer"'" },
      "Action": "sts:AssumeRoleWithWebIdentity",
      "Condition": { "StringEquals": {
        "'"$issuer"':aud": "sts.amazonaws.com",
        "'"$issuer"':sub": "system:serviceaccount:'"$NS:$name"'"
      } }
    }]
  }'
  aws iam put-role-policy --role-name "$role" --policy-name bucket \
    --policy-document "$(sed "s|arn:aws:s3:::recording-request|arn:aws:s3:::$BUCKET|g" "$rights/$(echo "$name" | sed s/doctor/submissions/).json")"
done
aws iam put-role-policy --role-name recording-request-backup --policy-name backup-bucket \
  --policy-document "$(sed "s|arn:aws:s3:::recording-request-backup|arn:aws:s3:::$BACKUP_BUCKET|g" "$rights/backup-target.json")"
