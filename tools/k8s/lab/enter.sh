# !/bin/sh Runs a command on the lab's machine. $1 is the id of the machine's first process. The command runs in its
# namespaces, and in its cgroups or in their subgroup `system`, which has all processes outside pods.
set -eu
first=$1
shift
while IFS=: read -r _ controllers path; do
  case $controllers in '') continue ;; name=*) controllers=${controllers#name=} ;; esac
  group=/sys/fs/cgroup/$controllers$path
  if [ -d "$group/system" ]; then group=$group/system; fi
  echo $$ >"$group/cgroup.procs"
done <"/proc/$first/cgroup"
exec nsenter --target "$first" --mount --net --pid --uts --ipc --cgroup --wdns="$PWD" -- "$@"
