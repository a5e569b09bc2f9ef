# Daemonises, then never ends; the timeout takes the whole tree: cove run examples/endless.sh --timeout 1s
echo started
(setsid sleep 1000 &)
while :; do sleep 1; done
