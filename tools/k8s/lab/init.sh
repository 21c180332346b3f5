#!/bin/sh
# The first process of the lab's machine, in separate namespaces: sets up its own /proc, cgroups, node state and network, then
# reaps ended processes. Arguments: the machine's folder, its address, the reaper to exec, and its other addresses.
set -eu
state=$1 address=$2 reaper=$3
shift 3
mount --make-rshared /
mount -t proc proc /proc
# Processes can read the host's kernel settings, and write only the network settings of this namespace.
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
# The kubelet requires these values; it reads them from these files.
for setting in kernel/panic=10 kernel/panic_on_oops=1 vm/overcommit_memory=1 vm/panic_on_oom=0 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  shown=$state/sysctl/${setting%=*}
  mkdir -p "$(dirname "$shown")"
  echo "${setting#*=}" >"$shown"
  mount --bind "$shown" "/proc/sys/${setting%=*}"
done
umount -l /sys/fs/cgroup
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /sys/fs/cgroup
for controller in $CONTROLLERS; do
  mkdir "/sys/fs/cgroup/$controller"
  mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller"
done
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns
for dir in /var/lib/containerd /var/lib/kubelet /var/lib/cni /etc/cni/net.d /var/log/pods /var/log/containers /etc/kubernetes; do
  mkdir -p "$state$dir" "$dir"
  mount --bind "$state$dir" "$dir"
done
mount --make-rshared /
hostname lab
echo "nameserver $address" >"$state/resolv.conf"
mount --bind "$state/resolv.conf" /etc/resolv.conf
printf '127.0.0.1 localhost\n%s lab\n' "$address" >"$state/hosts"
mount --bind "$state/hosts" /etc/hosts
ip link set lo up
ip link add lab0 type bridge
ip address add "$address/24" dev lab0
for other in "$@"; do ip address add "$other/32" dev lab0; done
ip link set lab0 up
# The default route ends at the bridge: no packet leaves this network.
ip route add default dev lab0
# Applies network policies to traffic between pods of one bridge too.
sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1 net.ipv4.conf.all.route_localnet=1
touch "$state/ready"
exec "$reaper"
