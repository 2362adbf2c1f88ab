"""A day of use in seconds: nothing stays of what is dropped. `benchmarks/serving.py --day` is the long one."""

import http.client
import json
import sys
import threading
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.server.access import Access
from conspectus.server.app import create_app
from helpers import HANG, until
from serving import run_server

API = "/api/v1"


def used(port: int) -> None:
    """Searches, questions whose events nobody hears to the end, jobs that are cancelled, uploads that break off."""
    for number in range(6):
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)
        asking.request("GET", f"{API}/search?q=cells")
        assert asking.getresponse().read()
        question = json.dumps({"question": f"Where do place cells fire, {number}?"})
        asking.request("POST", f"{API}/ask", question, {"content-type": "application/json"})
        job = json.load(asking.getresponse())["job"]
        for path in (f"{API}/jobs/{job}/events", f"{API}/events"):
            following = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)
            following.request("GET", path)
            assert following.getresponse().readline()
            following.close()
        if number % 2:
            asking.request("DELETE", f"{API}/jobs/{job}")
            asking.getresponse().read()
        asking.putrequest("POST", f"{API}/files")
        asking.putheader("content-type", "multipart/form-data; boundary=b")
        asking.putheader("content-length", "1000")
        asking.endheaders(b"--b\r\n")
        asking.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what is open is looked up as Linux tells it")
@pytest.mark.skipif(sys.platform == "win32", reason="as above")
def test_nothing_stays_of_what_is_dropped(library: Library) -> None:
    """A server that runs for weeks would end for want of files, threads or memory."""
    app = create_app(library, Access())
    state = app.state

    def held() -> dict[str, int]:
        until(lambda: all(job.is_done for job in state.board.jobs()) and not len(state.streams))
        until(lambda: not state.board.feed._listeners)
        until(lambda: not [one for one in threading.enumerate() if one.name == "conspectus-ask"])
        return {"files": len(list(Path("/proc/self/fd").iterdir())), "parts": len([*library.folder.rglob("*.part")])}

    with run_server(app) as port:
        used(port)
        first = held()
        for _ in range(3):
            used(port)
        until(lambda: held()["files"] <= first["files"] + 2)  # connections of the catalog come and go
        assert held()["parts"] == 0
        until(lambda: not any(job.journal._wakes for job in state.board.jobs()))
    assert not state.inbox._pending_paths
