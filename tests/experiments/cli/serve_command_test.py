"""tess serve: a lab live in a browser, and nothing else of the machine to anybody else."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import browser
import pytest
from conftest import ROOT

EVIL = "</script><script>window.evil=1</script>"
needs_browser = pytest.mark.skipif(browser.program() is None, reason="Chromium is not installed")


class Served:
    def __init__(self, tess_bin, lab):
        self.process = subprocess.Popen([tess_bin, "serve", lab], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.process.stderr.read()
        self.port, self.secret = urlsplit(self.address).port, urlsplit(self.address).path.strip("/")

    def raw(self, line, *headers):
        """The status and what follows of a request that is sent as it stands."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as plug:
            plug.sendall("\r\n".join([line, *headers, "Connection: close", "", ""]).encode("utf-8", "surrogateescape"))
            answer = b""
            while part := plug.recv(1 << 16):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body.decode("utf-8", "replace")

    def get(self, name, method="GET", host=None):
        return self.raw(f"{method} /{self.secret}/{name} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}")

    def end(self, sign):
        self.process.send_signal(sign)
        return self.process.wait(60)


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """A lab with a note that is markup, and one that is a link to a file outside."""
    folder = tmp_path_factory.mktemp("serve")
    (folder / "secret.txt").write_text("nobody's business\n")
    tess("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "-b", "32", "-p", "file-order,rcb", cwd=folder)
    tess("note", "@last", EVIL, cwd=folder)
    (last,) = (folder / "lab/notes").iterdir()
    (last / "note.01zzzzzzzzzzzzzzzzzzzzzzzz.txt").symlink_to(folder / "secret.txt")
    (folder / "lab/secret").symlink_to(folder / "secret.txt")
    return folder / "lab"


@pytest.fixture(scope="module")
def served(tess_bin, lab):
    one = Served(tess_bin, lab)
    yield one
    if one.process.poll() is None:
        one.end(signal.SIGTERM)


def test_runs_are_given_to_who_knows_the_address(served):
    code, head, body = served.get("runs.json")
    data = json.loads(body)
    assert code == 200 and data["n"] == 2
    assert {column["name"] for column in data["columns"]} > {"run", "partitioner", "reuse_factor"}
    assert list(data["notes"].values()) == [EVIL], "a link out of the lab is not one of its notes"
    assert served.get(f"runs.json?version={data['version']}")[0] == 204
    assert "default-src 'none'; frame-ancestors 'none'" in head and "no-store" in head
    code, head, body = served.get("", method="HEAD")
    assert code == 200 and body == "" and "script-src 'sha256-" in head and "unsafe-eval" not in head


@pytest.mark.parametrize("path", [
    "/", "/{secret}", "/{wrong}/", "/{wrong}/runs.json", "/{secret}/..", "/{secret}/../secret.txt", "/{secret}/%2e%2e/secret.txt",
    "/{secret}/..%2fsecret.txt", "/{secret}//etc/passwd", "/{secret}/%2fetc%2fpasswd", "/etc/passwd", "/./{secret}/runs.json",
    "/{secret}/secret", "/{secret}/lab/secret", "/{secret}/runs/", "/{secret}/notes", "/{secret}/..\\secret.txt", "/{secret}\0/runs.json",
    "/{secret}/runs.json/../secret", "/{secret}é/",
])  # fmt: skip
def test_no_path_leads_elsewhere(served, path):
    wrong = served.secret[:-1] + ("a" if served.secret[-1] != "a" else "b")
    asked = path.format(secret=served.secret, wrong=wrong)
    code, head, body = served.raw(f"GET {asked} HTTP/1.1", f"Host: 127.0.0.1:{served.port}")
    assert code in (400, 404) and "nobody" not in body and "root:" not in body and "runs" not in body.replace("nothing", "")
    assert "default-src 'none'" in head


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example", ""])
def test_other_hosts_names_lead_nowhere(served, host):
    """As a page of a stranger would have whose name is made to mean this machine."""
    assert served.raw(f"GET /{served.secret}/runs.json HTTP/1.1", f"Host: {host.format(port=served.port)}")[0] == 404


def test_hosts_are_one_and_methods_are_two(served):
    own = f"Host: 127.0.0.1:{served.port}"
    assert served.raw(f"GET /{served.secret}/runs.json HTTP/1.1", own, "Host: evil.example")[0] == 404
    assert served.raw(f"GET /{served.secret}/runs.json HTTP/1.1")[0] == 404
    assert served.get("runs.json", host=f"localhost:{served.port}")[0] == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert served.get("runs.json", method=method)[0] == 501


def test_only_the_loopback_address_listens(served):
    with open("/proc/net/tcp") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert f"0100007F:{served.port:04X}" in listening and f"00000000:{served.port:04X}" not in listening


def test_only_runs_that_came_since_are_sent(tess, served, lab):
    """And all, where others than these have changed."""
    def runs(version):
        code, _, body = served.get(f"runs.json?version={version}")
        return json.loads(body) if code == 200 else None

    before = runs("")
    assert (before["n"], before["more"]) == (2, False) and runs(before["version"]) is None
    tess("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "-b", "64", "-p", "gps", cwd=lab.parent)
    since, every = runs(before["version"]), runs("")
    assert (since["n"], since["more"], every["n"], every["more"]) == (1, True, 3, False)
    (name,) = (column for column in since["columns"] if column["name"] == "partitioner")
    assert name["text"] == ["gps"] and since["version"] == every["version"]
    (newest,) = lab.glob("runs/" + max(os.listdir(lab / "runs")))
    tess("tag", "good", newest.stem, cwd=lab.parent)
    assert (runs(since["version"])["n"], runs(since["version"])["more"]) == (3, False), "a tag is of a row that was sent"
    tess("rm", newest.stem, cwd=lab.parent)
    assert (runs(since["version"])["n"], runs(since["version"])["more"]) == (2, False)


def test_numbers_of_the_page_have_seven_digits():
    sys.path.insert(0, str(ROOT / "python"))
    numpy = pytest.importorskip("numpy")
    report = pytest.importorskip("tesselab.report")
    values = [0.1234567891, 1e-300, -2.5e17, float("nan"), float("inf"), 0.0, 3.0, 99999999.5, 1 / 3e22]
    assert report.seven_digits(numpy.array(values)) == [
        float(f"{one:.7g}") if abs(one) < float("inf") else None for one in values]
    assert json.dumps(report.seven_digits(numpy.array([128.0, 64.0]))) == "[128, 64]"


@needs_browser
def test_the_page_follows_the_lab_until_it_is_ended(tess, tess_bin, served, lab, tmp_path):
    with browser.Page(served.address) as shown:
        shown.wait("document.querySelector('#count').textContent === '2 of 2 runs'")
        shown.type("#filter", "mosaic")
        tess("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "-b", "32", "-p", "mosaic", cwd=lab.parent)
        shown.wait("document.querySelector('#count').textContent === '1 of 3 runs'")  # of what came since and what was there
        assert shown.value("runs.columns.find((one) => one.name === 'partitioner').text.length") == 3
        shown.wait("document.querySelector('#verdicts').innerText.includes('mosaic')")
        shown.picture(tmp_path / "live.png")
        assert shown.value("window.evil") is None and shown.problems == []
        assert served.end(signal.SIGINT) == 0
        shown.wait("document.querySelector('#live').textContent.includes('ended')")
    with pytest.raises(OSError):
        http.client.HTTPConnection("127.0.0.1", served.port, timeout=5).request("GET", "/")


def test_what_cannot_be_served_is_said(tess, lab, tmp_path):
    assert "no lab" in tess("serve", tmp_path / "nowhere", code=3).stderr
    assert "'b'" in tess("serve", lab, "b", code=2).stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert str(port) in tess("serve", lab, "--port", port, code=1).stderr
    assert os.listdir(lab / "runs")
