#!/bin/bash
# A cluster of one node under Slurm, in namespaces of its own (unshare has made them): FOLDER gets all of its files. Prints
# "ready" when it takes jobs, or why it does not, and ends with its standard input.
cd "$1" || exit
set -e
hostname tesshost
ip link set lo up
ip link add v0 type veth peer name v1 # Slurm does not take the loopback address
ip addr add 10.77.0.1/24 dev v0
ip link set v0 up
ip link set v1 up
printf '127.0.0.1 localhost\n10.77.0.1 tesshost\n' >hosts
mount --bind hosts /etc/hosts
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir spool state
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=tesshost(10.77.0.1)
AuthType=auth/none
CredType=cred/none
MpiDefault=pmix
ProctrackType=proctrack/pgid
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmdSpoolDir=$PWD/spool
StateSaveLocation=$PWD/state
SlurmUser=root
SlurmdUser=root
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=300
MaxArraySize=4
NodeName=tesshost NodeAddr=10.77.0.1 CPUs=8 RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=tesshost Default=YES MaxTime=10:00 OverSubscribe=FORCE:8 State=UP
CONF
printf 'CgroupPlugin=cgroup/v1\nConstrainCores=no\nConstrainRAMSpace=no\n' >cgroup.conf
export SLURM_CONF=$PWD/slurm.conf
slurmctld
slurmd
for _ in $(seq 100); do
    if timeout 5 sinfo --noheader --format=%t 2>/dev/null | grep -q idle; then
        echo ready
        read -r _ || true
        exit
    fi
    sleep 0.2
done
tail -n 3 slurmctld.log slurmd.log
