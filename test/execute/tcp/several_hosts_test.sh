#!/usr/bin/env bash
# several_hosts_test.sh TCP_COLLECTIVES WAIT_FOR_RANK: collectives over authenticated TCP between hosts, which are
# network namespaces with an address each, joined by a bridge. It is skipped without the right to create namespaces, and without `ip`.
set -euo pipefail

PATH+=:/usr/sbin:/sbin
if [[ ${3-} != inside ]]; then
    as_root=(--net)
    ((EUID == 0)) || as_root=(--net --map-root-user)
    if ! type ip nsenter unshare &>/dev/null; then
        echo "skipped: several hosts need ip (package iproute2), nsenter and unshare"
    elif ! unshare "${as_root[@]}" ip link add br0 type bridge &>/dev/null; then
        echo "skipped: several hosts need the right to create network namespaces (root)"
    else
        # This namespace has the bridge. It vanishes with its processes.
        exec unshare "${as_root[@]}" "$0" "$1" "$2" inside
    fi
    exit 0
fi

program=$1 waiting=$2
folder=$(mktemp -d)
hosts=()
# shellcheck disable=SC2317
cleanup() {
    local pid
    for pid in "${hosts[@]}" $(jobs -p); do kill "$pid" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap cleanup EXIT
fail() {
    echo "$*"
    tail -n 20 "$folder"/*.log
    exit 1
}

ip link set lo up
ip link add br0 type bridge
ip link set br0 up

add_host() { # host h has the address 10.77.0.h
    local h=$((${#hosts[@]} + 1)) pid
    unshare --net sleep 600 &
    pid=$!
    hosts+=("$pid")
    until [[ $(readlink "/proc/$pid/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do sleep 0.01; done
    ip link add "veth$h" type veth peer name eth0 netns "$pid"
    ip link set "veth$h" master br0 up
    on "$h" ip link set lo up
    on "$h" ip addr add "10.77.0.$h/24" dev eth0
    on "$h" ip link set eth0 up
}
on() { # HOST COMMAND...
    nsenter --target "${hosts[$1 - 1]}" --net "${@:2}"
}

new_key() {
    (umask 077 && head -c 32 /dev/urandom >"$folder/$1")
}

# run HOSTS RANKS SECONDS KEY_OF_LAST: rank r on host r mod HOSTS + 1; the last rank takes another key file. Prints the
# exit status of every rank.
run() {
    local r pids=() addresses=() key status all=()
    for ((r = 0; r < $2; ++r)); do addresses+=("10.77.0.$((r % $1 + 1)):$((7000 + r))"); done
    for ((r = 0; r < $2; ++r)); do
        key=key
        ((r < $2 - 1)) || key=$4
        on $((r % $1 + 1)) timeout 480 "$program" --key-file "$folder/$key" --job 42 --timeout "$3" "$r" \
            "${addresses[@]}" >"$folder/$r.log" 2>&1 &
        pids+=($!)
    done
    for r in "${pids[@]}"; do
        status=0
        wait "$r" || status=$?
        all+=("$status")
    done
    echo "${all[*]}"
}

for ((h = 1; h <= 5; ++h)); do add_host; done
new_key key
new_key other

for shape in "2 4" "4 4" "4 8"; do
    read -r number ranks <<<"$shape"
    got=$(run "$number" "$ranks" 60 key)
    [[ $got == "$(printf '0 %.0s' $(seq "$ranks") | sed 's/ $//')" ]] || fail "$number hosts: got exits $got"
    [[ $(grep -c "on $ranks ranks: right$" "$folder/0.log") == 4 ]] || fail "$number hosts: got no four right results"
    echo "$ranks ranks on $number hosts: right"
done

# The last rank has another key: no rank starts, and each reports an error in time.
began=$SECONDS
got=$(run 2 4 3 other)
((SECONDS - began < 30)) || fail "other key: got $((SECONDS - began)) s, expected less than 30"
[[ $got == "1 1 1 1" ]] || fail "other key: got exits $got"
grep -q "connections in its name lack the key" "$folder/3.log" || fail "other key: got another message"
echo "another key: refused"

# Without a key the addresses of hosts are an error.
status=0
on 1 "$program" 0 10.77.0.1:7000 10.77.0.2:7001 2>"$folder/0.log" || status=$?
((status == 2)) || fail "no key: got exit $status"
echo "no key: an error"

# A host without the key keeps opening connections, silent ones and such that send garbage, while the ranks connect.
unknown=() stop_at=$((SECONDS + 60))
for _ in 1 2 3 4; do
    on 5 bash -c 'exec 2>/dev/null
        while (( SECONDS < 60 )); do
            for port in 7000 7001 7002; do
                exec 3<>/dev/tcp/10.77.0.$((port - 7000 + 1))/$port && echo garbage >&3
            done
        done' &
    unknown+=($!)
done
got=$(run 4 4 60 key)
kill "${unknown[@]}" 2>/dev/null || true
[[ $got == "0 0 0 0" ]] || fail "unknown peers: got exits $got"
((SECONDS < stop_at)) || fail "unknown peers: got more than 60 s"
echo "unknown peers at another host: right"

# A host vanishes without closing its connections: the other one reports its rank as dead.
addresses=(10.77.0.1:7000 10.77.0.2:7001)
on 2 "$waiting" "$folder/key" 3 1 "${addresses[@]}" >"$folder/1.log" 2>&1 &
on 1 "$waiting" "$folder/key" 3 0 "${addresses[@]}" >"$folder/0.log" 2>&1 &
other=$! began=$SECONDS
until grep -q connected "$folder/0.log" && grep -q connected "$folder/1.log"; do
    ((SECONDS - began < 60)) || fail "a host that vanishes: the ranks did not connect"
    sleep 0.05
done
ip link set veth2 down
wait "$other" || fail "a host that vanishes: got an exit status other than 0"
[[ $(tail -n 1 "$folder/0.log") == "the other rank has died" ]] || fail "a host that vanishes: got no error"
((SECONDS - began < 30)) || fail "a host that vanishes: got $((SECONDS - began)) s, expected less than 30"
echo "a host that vanishes: its rank is dead"
