# SPDX-License-Identifier: BSD-2-Clause
# tour.sh - what `make linux` shows: the kernel's own driver on the simulated
# processor. Counts of `count` are known from its source.
pmu=/sys/bus/event_source/devices/cpu
dmesg | grep "Performance Events"
grep -o -w -E "hle|rtm|intel_pt" /proc/cpuinfo | sort -u
perf stat -e instructions:u,cycles:u count $(seq 99) 2>&1
for allowed in 0 1; do
    echo "allow_tsx_force_abort $allowed"
    echo $allowed >$pmu/allow_tsx_force_abort
    perf stat -e '{r00c4:u,r00c4:u,r00c4:u,r00c4:u}' count 2>&1
done
echo 0 >$pmu/allow_tsx_force_abort
transactions
perf stat -e tx-start:u,tx-commit:u,tx-abort:u transactions 2>&1
