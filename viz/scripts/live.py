"""Catalyst Live: ParaView (Catalyst, Connect) looks into the running program.

TESS_VIZ_LIVE names host and port, localhost:22222 without it."""

import os
import sys

from paraview import catalyst

sys.path.insert(0, os.path.dirname(os.path.abspath(catalyst.get_script_filename())))

import in_situ

options = in_situ.options()
options.EnableCatalystLive = 1
options.CatalystLiveURL = os.environ.get("TESS_VIZ_LIVE", "localhost:22222")
sources = in_situ.producers()


def catalyst_execute(info):
    for source in sources.values():
        source.UpdatePipeline(info.time)
