"""Serves the page of a lab while it grows, as `tess serve` starts it.

Its standard input is JSON: {"lab": folder, "program": the tess that asks, "port": 0 for any, "titles": {NAME: [TITLE, SCALE]}}. It listens on the loopback
address only and answers to GET and HEAD of four names below a secret one: the page, its runs, its parts that change. No
name is a path, so none leaves the lab; whoever does not know the secret, or comes by another host's name, gets nothing."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd

from .archive import LabError, command
from .lab import Lab, open_lab
from .report import Report, blocks_section, make_live_page, parts, runs_data
from .run_table import add_runs, read_runs

ADDRESS = "127.0.0.1"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'"
MOST_NEW = 256  # files that are read one by one; beyond it the index is
MOST_KNOWN = 16  # versions that pages may have of which what came since is known
EMPTY: Report = {"runs": [], "charts": [], "verdicts": [], "views": [], "where": None}


class GrowingLab:
    """A lab and what was last made of it; each is made once for every state of the lab, by one thread at a time."""

    def __init__(self, lab: Lab, program: str, titles: dict[str, list[Any]]) -> None:
        self.lab, self.program, self.titles = lab, program, titles
        self.lock, self.parts_lock = threading.Lock(), threading.Lock()
        self.tried: set[str] = set()  # ids whose files were read
        self.table = pd.DataFrame()
        self.sent: dict[str, tuple[int, int, int]] = {}  # by version: rows, digests of their ids and of the notes
        self.parts: tuple[str, str] = ("", "")

    def version(self, ids: list[str]) -> tuple[str, int]:
        """Another one whenever runs, notes or tags come or go; and that of notes and tags alone."""
        notes = hash(tuple(sorted((path.name, path.stat().st_mtime_ns) for path in (self.lab.folder / "notes").glob("*"))))
        return f"{hash((tuple(ids), notes)):x}", notes

    def grown_table(self, ids: list[str]) -> pd.DataFrame:
        """The run table; only files of runs that are new are read."""
        new = [run for run in ids if run not in self.tried]
        if len(new) > MOST_NEW or len(ids) != len(self.tried) + len(new):  # the index is quicker, or runs are gone
            self.table = read_runs(self.lab.folder, ids)
        elif new:
            self.table = add_runs(self.lab.folder, self.table, new)
        self.tried = set(ids)
        return self.lab.tagged(self.table)

    def runs_json(self, known: str) -> str | None:
        """The runs; None where they are those of the version that is known, and only those that came since where all others
        are as they were."""
        with self.lock:
            ids = self.lab.ids()
            version, notes = self.version(ids)
            if version == known:
                return None
            table = self.grown_table(ids)
            n, *digests = self.sent.get(known, (0, 0, 0))
            grew = 0 < n < len(table) and digests == [hash(tuple(table.index[:n])), notes]
            self.sent = {**dict(list(self.sent.items())[1 - MOST_KNOWN:]), version: (len(table), hash(tuple(table.index)), notes)}
            chosen = table.iloc[n:] if grew else table
            chosen.attrs = table.attrs
            data = runs_data(self.lab, chosen, self.titles) if len(chosen) else {"columns": [], "usual": [], "n": 0, "notes": {}}
            return json.dumps({**data, "version": version, "more": grew}, allow_nan=False)

    def report(self) -> Report:
        """What `tess report` says of the lab now."""
        done = subprocess.run([self.program, "report", "--json", "--quiet", "--lab", str(self.lab.folder)],
                              capture_output=True, text=True)
        found: Report = json.loads(done.stdout) if done.returncode == 0 else EMPTY
        return found

    def parts_html(self, with_blocks: bool) -> str:
        """The sections that change, and those of blocks, which the page asks for once."""
        with self.parts_lock:
            version, _ = self.version(self.lab.ids())
            if version == self.parts[0] and not with_blocks:
                return self.parts[1]
            report = self.report()
            with self.lock:
                runs = self.grown_table(self.lab.ids())
            self.parts = (version, "".join(parts(report, runs)))
            return self.parts[1] + (blocks_section(self.lab, report, runs)[0] if with_blocks else "")

    def page(self) -> tuple[str, str]:
        return make_live_page(self.lab)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tess", ""
    timeout = 30  # seconds for a request that does not come to its end
    server: Server

    def do_GET(self) -> None:
        name = self.asked_name()
        try:
            if name is None:
                self.answer(404, "nothing is here\n")
            elif name == "runs.json":
                known = parse_qs(urlsplit(self.path).query).get("version", [""])[0]
                found = self.server.growing.runs_json(known)
                self.answer(204 if found is None else 200, found or "", "application/json")
            elif name == "parts.html":
                self.answer(200, self.server.growing.parts_html(urlsplit(self.path).query == "blocks"), "text/html; charset=utf-8")
            else:
                page, policy = self.server.growing.page()
                self.answer(200, page, "text/html; charset=utf-8", f"{policy}; frame-ancestors 'none'")
        except (LabError, OSError, ValueError) as error:
            self.answer(500, f"{error}\n")

    do_HEAD = do_GET

    def asked_name(self) -> str | None:
        """The name below the secret: "", "runs.json" or "parts.html"; None for all else."""
        secret, slash, name = urlsplit(self.path).path.removeprefix("/").partition("/")
        hosts = [[f"{host}:{self.server.server_port}"] for host in (ADDRESS, "localhost")]
        if self.headers.get_all("Host") not in hosts:  # another name that leads here
            return None
        known = hmac.compare_digest(secret.encode("utf-8", "replace"), self.server.secret.encode())
        return name if known and slash and name in ("", "runs.json", "parts.html") else None

    def answer(self, code: int, words: str, kind: str = "text/plain; charset=utf-8", policy: str = NOTHING) -> None:
        body = words.encode("utf-8", "replace")
        self.send_response(code)
        for header, value in {**HEADERS, "Content-Security-Policy": policy, "Content-Type": kind}.items():
            self.send_header(header, value)
        if code != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and code != 204:
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.close_connection = True
        self.answer(code, "this server answers to GET and HEAD\n" if code == 501 else "")

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing: addresses hold the secret."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, growing: GrowingLab, port: int) -> None:
        super().__init__((ADDRESS, port), Handler)
        self.growing, self.secret = growing, secrets.token_urlsafe(24)
        self.parent = os.getppid()

    def service_actions(self) -> None:
        if os.getppid() != self.parent:  # nobody is there to end it
            os._exit(0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error."""


@command
def main(words: list[str] | None = None) -> None:
    asked = json.load(sys.stdin)
    growing = GrowingLab(open_lab(Path(asked["lab"])), asked["program"], asked["titles"])
    try:
        server = Server(growing, asked["port"])
    except OSError as error:
        print(f"port {asked['port']} of {ADDRESS}: {error.strerror}", file=sys.stderr)
        raise SystemExit(1) from error
    print(f"http://{ADDRESS}:{server.server_port}/{server.secret}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        os._exit(130)


if __name__ == "__main__":
    main()
