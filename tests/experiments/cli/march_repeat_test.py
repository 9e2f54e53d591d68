"""Ranks that are delayed at random come to the same bits: no sum depends on which message is first."""

import json
import os
import random
import signal
import subprocess
import threading
import time

import pytest
from launched_ranks import ROOT_MAY, launcher_command, processes

REPEATS = 3


def delay(launched, chance):
    """Stops one of the processes for some milliseconds, again and again."""
    while launched.poll() is None:
        below = processes(launched.pid)
        victim = chance.choice(below) if below else None
        try:
            if victim and open(f"/proc/{victim}/comm").read().strip() == "tess":
                os.kill(victim, signal.SIGSTOP)
                time.sleep(chance.uniform(0.001, 0.02))
                os.kill(victim, signal.SIGCONT)
        except OSError:
            continue  # it has ended


@pytest.mark.parametrize("application,mesh,halo", [("airfoil", "airfoil:i=12:j=18", "redundant"),
                                                   ("miniaero", "hexes:nx=6:ny=5:nz=4", "partial-sums")])
def test_delays_change_no_bit(tess_bin, application, mesh, halo):
    command = launcher_command("Open MPI")
    chance, results = random.Random(20), []
    for _ in range(REPEATS):
        launched = subprocess.Popen(
            [*command, "-n", "3", tess_bin, "march", "--no-lab", application, "--mesh", mesh, "--engine", "mpi", "--halo", halo,
             "--steps", "100", "--json"], env={**os.environ, **ROOT_MAY}, stdout=subprocess.PIPE, text=True)
        delays = threading.Thread(target=delay, args=(launched, chance))
        delays.start()
        told, _ = launched.communicate(timeout=300)
        delays.join()
        assert launched.returncode == 0
        results.append([{name: value for name, value in row.items() if name != "seconds_per_step"}
                        for row in json.loads(told)["rows"]])
    assert len(results[0][0]) > 1, "there is a sum"
    assert all(result == results[0] for result in results)
