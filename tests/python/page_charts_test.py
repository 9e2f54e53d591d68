"""Charts of pages: what is left out, what a reader calls them, and that names of a lab are no markup."""

import pandas

from tesselab.page_charts import figure_of, shown_charts, title_of
from tesselab.report import pairs_without

AXIS = {"words": "time [ms]", "logarithmic": True, "whole": False}


def point(x, y, **more):
    return {"x": x, "y": y, "low": None, "high": None, "n": 1, "beaten": False, "label": None, "run": "r", **more}


def chart(*points, kind="front", rows=False, **more):
    series = {"name": "<b>rcb</b>", "place": 1, "line": "points", "points": list(points)}
    limit = {"name": "copying", "place": 2, "line": "limit", "points": [point(1.0, 1.0), point(2.0, 2.0)]}
    return {"kind": kind, "summary": "any two", "rows": rows, "x": {**AXIS, "words": "reuse", **more}, "y": AXIS, "notes": "",
            "panels": [{"title": "a", "series": [series, limit]}]}


def test_a_chart_of_one_point_is_left_out():
    one, two = chart(point(1.0, 2.0)), chart(point(1.0, 2.0), point(2.0, 1.0))
    assert shown_charts([one, two]) == [two], "the line of a limit is no point"
    same_place = [point(1.0, 2.0), point(1.0, 3.0)]
    assert [one["kind"] for one in shown_charts([chart(*same_place, kind=kind) for kind in ("reuse", "scaling", "front")])] == ["front"]


def test_titles_are_for_a_reader():
    assert title_of(chart()) == "time against reuse" and title_of(chart(kind="scaling")) == "time by reuse"
    assert title_of(chart(kind="reuse")) == "any two"


def test_names_are_text_and_points_keep_their_runs():
    for rows in (False, True):
        made = chart(point(1.0, 2.0, label="<i>a</i>", run="r1", low=0.5, high=4.0), point(2.0, 1.0, beaten=True, run="r2"), rows=rows)
        figure = figure_of(made, made["panels"][0])
        first = figure["data"][0]
        assert first["customdata"] == ["r1", "r2"] and first["text"][0] == "&lt;i&gt;a&lt;/i&gt;"
        assert "<b>" not in str(figure) and "<i>" not in str(figure)
        assert [symbol.endswith("-open") for symbol in first["marker"]["symbol"]] == [False, True]
        ends = first["error_x" if rows else "error_y"]
        assert ends["array"] == [3.0 if rows else 2.0, None] and ends["arrayminus"] == [0.5 if rows else 1.5, None]


def test_axes_are_logarithmic_only_of_positive_values():
    for least, kind in ((1.0, "log"), (0.0, None)):
        made = chart(point(least, 1.0), point(4.0, 2.0), whole=True)
        axis = figure_of(made, made["panels"][0])["layout"]["xaxis"]
        assert axis.get("type") == kind and axis["tickvals"] == sorted({least, 1.0, 2.0, 4.0})


def test_the_name_of_a_limit_stands_at_its_line():
    for least, at in ((0.5, 0.0), (0.0, 1.0)):
        made = chart(point(least, 1.0), point(4.0, 2.0), rows=True)
        layout = figure_of(made, made["panels"][0])["layout"]
        assert layout["annotations"][0]["x"] == at and layout["shapes"][0]["x0"] == 1.0, "logarithms of words, not of lines"


def test_what_is_missing_is_named_once():
    runs = pandas.DataFrame({"mesh": ["m/a.su2", "m/a.su2", "b.su2"], "loop": ["flux", "flux", "<x>"]})
    assert pairs_without(runs, {("m/a.su2", "flux"), ("b.su2", "<x>")}, "why") == ""
    assert pairs_without(runs, set(), "why") == "<p class='missing'>why: &lt;x&gt; on b.su2; flux on a.su2.</p>"
