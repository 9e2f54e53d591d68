#!/bin/bash
# Two hosts that a cable joins: network, name, shared memory and mounts of each are namespaces of its own. Runs a command on
# the first one, 10.78.0.1; FOLDER/rsh HOST COMMAND..., which this writes, runs one on either. To be started by unshare.
# usage: two_hosts.sh FOLDER COMMAND...
set -e
folder=$1
shift
hostname hosta
ip link set lo up
mount -t tmpfs tmpfs /dev/shm
mount -t sysfs sysfs /sys # of this network
mkfifo "$folder/ready"
unshare --mount --net --uts --ipc bash -c "hostname hostb; ip link set lo up; mount -t tmpfs tmpfs /dev/shm; mount -t sysfs sysfs /sys
    echo >'$folder/ready'; exec sleep infinity" &
second=$!
read -r _ <"$folder/ready"
ip link add cable type veth peer name cable netns "$second"
ip addr add 10.78.0.1/24 dev cable
ip link set cable up
nsenter --target "$second" --net ip addr add 10.78.0.2/24 dev cable
nsenter --target "$second" --net ip link set cable up
until grep -q up /sys/class/net/cable/operstate; do sleep 0.05; done
until nsenter --target "$second" --mount --net grep -q up /sys/class/net/cable/operstate; do sleep 0.05; done
cat >"$folder/rsh" <<RSH
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
host=\$1
shift
[ "\$host" = 10.78.0.1 ] && exec bash -c "\$*"
exec nsenter --target $second --mount --net --uts --ipc bash -c "\$*"
RSH
chmod +x "$folder/rsh"
"$@"
